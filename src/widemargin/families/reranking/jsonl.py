"""Lists as JSON lines, one object per hypothesis: what scripts around language models and Hugging Face's `generate` print.

    {"id": 0, "text": "a text", "features": {"lm": -12.5}, "metrics": {"comet": 0.81}, "score": -12.5, "references": ["the text"]}

`id` and `text` must be there. `features` may be a list of numbers, named 1, 2, ...; `metrics` become columns, and so does every other key
whose value is a number. `source` is the sentence that was translated. `score` is the system's own.
"""

import json
from typing import Any

from widemargin.engine.settings import shown
from widemargin.errors import InputError
from widemargin.families.reranking.gathering import LARGEST, Gathered
from widemargin.families.reranking.pool import Pool
from widemargin.readers.encodings import check_text

KNOWN = ("id", "text", "features", "metrics", "score", "references", "source", "alignment")


def parse_jsonl(lines: list[str], source: str) -> Pool:
    """Lists in JSON lines."""
    found = Gathered(source, "jsonl")
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        where = f"{source}:{number}"
        try:
            given = json.loads(line)
        except (ValueError, RecursionError) as error:
            raise InputError(f"this line is not JSON ({str(error)[:60]}); give one object per hypothesis", where) from None
        if not isinstance(given, dict):
            raise InputError('this line is not a JSON object; give {"id": ..., "text": ..., "features": {...}}', where)
        if "\\ud" in line.lower():  # may be half of a surrogate pair
            check_text([json.dumps(given, ensure_ascii=False)], f"{where}: the line")
        _add(found, number, given, where)
    for name, column in found.columns.items():
        if len(column) < len(found.ids):
            raise InputError(
                f"the metric {name} is missing here, and every line before has it; give it in every line or in none",
                found.where(len(column)),
            )
    return found.pool()


def _add(found: Gathered, number: int, given: dict[str, Any], where: str) -> None:
    sentence, text = given.get("id"), given.get("text")
    if isinstance(sentence, bool) or not isinstance(sentence, int | str) or str(sentence).strip() != str(sentence) or sentence == "":
        raise InputError(f'the key "id" is {shown(sentence)}; it must be a number, or text without blanks around it', where)
    if not isinstance(text, str):
        raise InputError(f'the key "text" is {shown(text)}; it must be text', where)
    sentence = str(sentence)
    score = _number(given["score"], "score", where) if given.get("score") is not None else ""
    found.add(number, sentence, " ".join(text.split("\n")).strip(), score=score, alignment=_text(given, "alignment", where))
    features = given.get("features", {})
    if isinstance(features, list):
        features = {str(k): value for k, value in enumerate(features, 1)}
    if not isinstance(features, dict):
        raise InputError('the key "features" is neither an object nor a list of numbers', where)
    for name, value in features.items():
        found.feature.append(found.names[_name(name, where)])
        found.value.append(_number(value, name, where))
    found.features.append(len(features))
    metrics = given.get("metrics", {})
    if not isinstance(metrics, dict):
        raise InputError('the key "metrics" is not an object; give {"comet": 0.81}', where)
    others = {name: value for name, value in given.items() if name not in KNOWN and isinstance(value, int | float)}
    for name, value in (others | metrics).items():
        column = found.columns.setdefault(name, [])
        if len(column) != len(found.ids) - 1:
            raise InputError(f"the metric {name} is given here but not in every line before; give it in every line or in none", where)
        column.append(_number(value, name, where))
    _of_sentence(found, sentence, given, where)


def _of_sentence(found: Gathered, sentence: str, given: dict[str, Any], where: str) -> None:
    """References and source, which all hypotheses of a sentence share."""
    references = given.get("references", [])
    if not isinstance(references, list) or not all(isinstance(one, str) for one in references):
        raise InputError('the key "references" is not a list of texts', where)
    if bool(references) != bool(found.references) and len(found.ids) > 1:
        raise InputError("some lines have references and others have none; give every sentence its references", where)
    if references and found.references.setdefault(sentence, tuple(references)) != tuple(references):
        raise InputError(f"sentence {sentence} has different references here than before", where)
    if text := _text(given, "source", where):
        found.sources.setdefault(sentence, text)


def _name(name: str, where: str) -> str:
    if not name or name.split() != [name] or "|||" in name:
        raise InputError(f"{shown(name)!r} cannot be the name of a feature; leave out blanks and bars", where)
    return name


def _number(value: Any, name: str, where: str) -> float:
    try:
        if not isinstance(value, bool) and isinstance(value, int | float) and abs(value) <= LARGEST:
            return float(value)
    except OverflowError:
        pass
    raise InputError(f"{name} is {shown(value)}, which is not a finite number", where)


def _text(given: dict[str, Any], key: str, where: str) -> str:
    text = given.get(key, "")
    if not isinstance(text, str):
        raise InputError(f'the key "{key}" is {shown(text)}; it must be text', where)
    return " ".join(text.split("\n"))


def format_jsonl(pool: Pool) -> str:
    """Lists as JSON lines, with all that is known of each hypothesis."""
    lines, row = [], pool.row.tolist()
    for h, text in enumerate(pool.texts):
        low, high = pool.feature_ptr[h : h + 2].tolist()
        facts: dict[str, Any] = {"id": pool.ids[row[h]], "text": text}
        facts["features"] = {pool.names[f]: v for f, v in zip(pool.feature[low:high].tolist(), pool.value[low:high].tolist())}
        if pool.columns:
            facts["metrics"] = {name: float(column[h]) for name, column in pool.columns.items()}
        if pool.score[h] == pool.score[h]:
            facts["score"] = float(pool.score[h])
        if pool.alignment and pool.alignment[h]:
            facts["alignment"] = pool.alignment[h]
        if pool.references:
            facts["references"] = list(pool.references[row[h]])
        if pool.sources:
            facts["source"] = pool.sources[row[h]]
        lines.append(json.dumps(facts, ensure_ascii=False) + "\n")
    return "".join(lines)
