"""Lists by name: a file of hypotheses with its references, or the lists of a part of the embedded corpus."""

import dataclasses

from widemargin.errors import InputError
from widemargin.families.reranking.jsonl import parse_jsonl
from widemargin.families.reranking.nbest import BAR, lines_of, parse_nbest
from widemargin.families.reranking.pool import Pool
from widemargin.families.reranking.references import read_sources, reference_files, with_reference_files
from widemargin.families.reranking.town import town_pool
from widemargin.families.reranking.tsv import parse_tsv
from widemargin.families.sources import TOWN, town_part


def open_pool(path: str, *, refs: str | None = None, sources: str | None = None, look: bool = True, encoding: str = "utf-8") -> Pool:
    """An n-best list, JSON lines or a table with tabs (.gz too, - for standard input), or town:PART[:SENTENCES].

    refs: files of references, separated by commas, in which {stem} is the lists' name without .nbest, .jsonl or .tsv; without it, all files
    STEM.ref* are taken, unless the lists bring references along, or look is False. sources: a file of the sentences that were translated.
    """
    if path.startswith(TOWN):
        part, sentences = town_part(path, encoding)
        if refs is not None or sources is not None:
            raise InputError(f"{path} brings its references and sources along; leave --refs and --src out")
        return dataclasses.replace(town_pool(part, sentences=sentences), source=path)
    lines, source = lines_of(path, encoding)
    pool = _parser_of(lines)(lines, source)
    if refs is not None and pool.references:
        raise InputError("these lists bring references along; leave --refs out", source)
    files = reference_files(refs, path) if not pool.references and (look or refs is not None) else []
    pool = with_reference_files(pool, files, encoding=encoding)
    return pool if sources is None else read_sources(pool, sources, encoding=encoding)


def _parser_of(lines: list[str]):
    """What reads a file that begins so: JSON lines by a brace, tables by a tab in a line without bars."""
    first = next((line for line in lines if line.strip()), "")
    if first.lstrip().startswith("{"):
        return parse_jsonl
    return parse_tsv if "\t" in first and BAR not in first else parse_nbest
