"""Small files of a family from the embedded corpus."""

FEW, SENTENCES, TRAIN = (4, 11), 16, 10


def short(text):
    """Sixteen sentences of a text that have few tokens: ten to train on, six to look at."""
    blocks = [[line for line in block.split("\n") if not line.startswith("#")] for block in text.strip().split("\n\n")]
    found = ["\n".join(lines) for lines in blocks if FEW[0] <= len(lines) <= FEW[1]][:SENTENCES]
    return found[:TRAIN], found[TRAIN:]


def write(folder, name, train, dev, system, templates, other):
    """NAME.train, .dev, .system, .templates and .other."""
    for part, found in (("train", train), ("dev", dev), ("system", system)):
        (folder / f"{name}.{part}").write_text("\n\n".join(found) + "\n\n")
    (folder / f"{name}.templates").write_text(templates)
    (folder / f"{name}.other").write_text(other)
