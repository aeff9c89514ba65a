"""widemargin mentions: words and labels of mentions in two columns, for a tagger to learn from."""

import argparse


def declare(command: argparse.ArgumentParser) -> None:
    """The flags."""
    command.add_argument("documents", metavar="DOCUMENTS", help="a file of chains (.gz too), - for standard input, or town:PART")
    command.add_argument("-o", "--output", default="-", metavar="OUT", help="where the columns go (standard output)")
    command.add_argument("--encoding", default="utf-8", metavar="ENCODING", help="encoding of the input file (utf-8)")


def run(options) -> int:
    """A word and its label a line, an empty line between sentences (tagged.py)."""
    from widemargin.errors import InputError
    from widemargin.families.coreference.sources import open_documents
    from widemargin.families.coreference.tagged import mention_labels
    from widemargin.readers.files import atomic_writer
    from widemargin.readers.outputs import check_output

    check_output(options.output)
    documents = open_documents(options.documents, encoding=options.encoding)
    if not documents.mentions:
        raise InputError("there is no mention here to learn from; give documents with chains.", options.documents)
    with atomic_writer(options.output) as out:
        for document in documents.given:
            for sentence, labels in zip(document.sentences, mention_labels(document)):
                if blank := next((word for word in sentence if not word or word.isspace() or any(c in word for c in " \t")), None):
                    raise InputError(
                        f"the word {blank!r} has blanks in it, which columns cannot hold; tokenise it first.", options.documents
                    )
                out.write("".join(f"{word} {label}\n" for word, label in zip(sentence, labels)).encode() + b"\n")
    return 0
