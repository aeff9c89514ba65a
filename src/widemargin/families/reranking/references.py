"""References of sentences: files with a line for each, several beside each other; and the BLEU statistics of hypotheses against them."""

import dataclasses
import glob
import warnings
from collections.abc import Sequence

import numpy as np

from widemargin.errors import InputError, several
from widemargin.families.reranking.kernels.bleu import Chains, ReferenceWords, Words, bleu_statistics
from widemargin.families.reranking.nbest import lines_of
from widemargin.families.reranking.pool import STATISTICS, Pool
from widemargin.scoring.list_corpus import pointer

STEM = "{stem}"
ENDINGS = (".gz", ".nbest", ".jsonl", ".tsv")


def stem_of(path: str) -> str:
    """A file's name without .gz and .nbest, .jsonl or .tsv."""
    for ending in ENDINGS:
        path = path.removesuffix(ending)
    return path


def reference_files(refs: str | None, path: str) -> list[str]:
    """Files that an option names, separated by commas, where {stem} is the name of the lists; without one, STEM.ref* beside them."""
    if refs is None:
        return sorted(glob.glob(glob.escape(stem_of(path)) + ".ref*")) if path != "-" else []
    return [name.strip().replace(STEM, stem_of(path)) for name in refs.split(",")]


def with_reference_files(pool: Pool, files: Sequence[str], *, encoding: str = "utf-8") -> Pool:
    """The lists with the references in these files, of which line n is for sentence n, and with their BLEU statistics."""
    if not files:
        return _doubted(with_references(pool, pool.references)) if pool.references else pool
    found = [lines_of(name, encoding)[0] for name in files]
    return _doubted(with_references(pool, lines_by_sentence(pool, found, files)))


def lines_by_sentence(pool: Pool, found: list[list[str]], files: Sequence[str]) -> tuple[tuple[str, ...], ...]:
    """Lines of several files for each sentence: ids that are whole numbers count lines from 0, others stand in the order of the lines."""
    whole = all(name.isdecimal() and name.isascii() for name in pool.ids)
    places = [int(name) for name in pool.ids] if whole else list(range(pool.sentences))
    for lines, name in zip(found, files):
        if places[-1] >= len(lines):
            where = f"{pool.source}:{pool.line[pool.row_ptr[-2]]}"
            text = f"there are hypotheses of sentence {pool.ids[-1]}, and {name} ends with line {len(lines)}"
            raise InputError(f"{text}; give a file with a line for each sentence, of which the first is number 0", where)
        missing = next((n for n in range(len(lines)) if n >= len(places) or places[n] != n), None)
        if missing is not None:
            raise InputError(
                f"this line has no hypotheses in {pool.source}: sentence {missing} is missing there; leave its line out here, or add it",
                f"{name}:{missing + 1}",
            )
    return tuple(tuple(lines[n] for lines in found) for n in places)


def with_references(pool: Pool, references: Sequence[Sequence[str]]) -> Pool:
    """The lists with references, one or several texts for each sentence, and with their BLEU statistics."""
    if len(references) != pool.sentences:
        told = f"there are references for {several(len(references), 'sentence')} and hypotheses for {pool.sentences:,}"
        raise InputError(f"{told}; give references for each", pool.source)
    given = tuple((one,) if isinstance(one, str) else tuple(one) for one in references)
    if empty := [i for i, one in enumerate(given) if not one]:
        raise InputError(f"sentence {pool.ids[empty[0]]} has no reference; give every sentence at least one", pool.source)
    return dataclasses.replace(pool, references=given, counts=statistics(pool, given))


def _doubted(pool: Pool) -> Pool:
    """The same lists, after a warning if no hypothesis has a word of its references."""
    if len(pool.counts) and not pool.counts[:, 0].any():  # matches of single words
        told = f"no hypothesis of {pool.source} has a word of its references; are these the references of these sentences?"
        warnings.warn(told, RuntimeWarning, stacklevel=3)
    return pool


def statistics(pool: Pool, references: tuple[tuple[str, ...], ...]) -> np.ndarray:
    """BLEU statistics of all hypotheses, int32 [H, 10]; words are what blanks separate, as with sacrebleu's tokenize none."""
    place = {word: k for k, word in enumerate(pool.words)}
    split = [text.split() for texts in references for text in texts]
    token = np.array([place.setdefault(word, len(place)) for words in split for word in words], np.int32)
    row_ptr, ptr = (pointer(np.array([len(one) for one in many], np.int64)) for many in (references, split))
    return word_statistics(pool, ReferenceWords(row_ptr, ptr, token), len(place))


def word_statistics(pool: Pool, references: ReferenceWords, vocabulary: int) -> np.ndarray:
    """The same for references as numbers of words below `vocabulary`, those of the pool's words among them."""
    longest, most = int(np.diff(references.ptr).max(initial=1)), int(np.diff(pool.token_ptr[pool.row_ptr]).max(initial=1))
    head, found = np.full(vocabulary, -1, np.int32), np.zeros(most, np.int8)
    chains = Chains(head, np.zeros(longest, np.int32), np.zeros(longest, np.int8), found)
    out = np.zeros((len(pool), STATISTICS), np.int32)
    bleu_statistics(Words(pool.row_ptr, pool.token_ptr, pool.token), references, chains, out)
    return out


def read_sources(pool: Pool, path: str, *, encoding: str = "utf-8") -> Pool:
    """The lists with the sentences that were translated, a line for each."""
    lines, _ = lines_of(path, encoding)
    return dataclasses.replace(pool, sources=tuple(one[0] for one in lines_by_sentence(pool, [lines], [path])))
