"""Tag schemes that write spans as one tag per token: IOB1, IOB2 (BIO), BIOES (IOBES), BILUO (spaCy's) and IO.

A tag is "O" or PREFIX-TYPE; a bare prefix ("B", "I") has the empty type. The rules, with X a type:
    iob1   I-X inside a span; B-X only where a span of type X directly follows another of type X
    iob2   B-X opens every span, I-X continues it
    bioes  B-X I-X* E-X for spans of two tokens and more, S-X for one token
    biluo  the same with L-X for E-X and U-X for S-X
    io     X itself at every token of a span: spans of one type side by side become one
Source: Tjong Kim Sang and Veenstra (1999), Representing text chunks, section 2; BIOES: Ratinov and Roth (2009), section 4.
"""

import functools
from collections.abc import Callable, Sequence

import numpy as np

from widemargin.errors import InputError

OUTSIDE, BEGIN, INSIDE, END, SINGLE = range(5)
PREFIXES = "OBIES"
SPACY = "OBILU"  # how BILUO writes the same
SCHEMES = {"iob1": "OBI", "iob2": "OBI", "bioes": PREFIXES, "biluo": SPACY, "io": "OI"}
WHOLE = ("bioes", "biluo")  # schemes that mark where spans end
ALIASES = {"bio": "iob2", "iob": "iob2", "iobes": "bioes", "bilou": "biluo"}


def scheme_name(name: str) -> str:
    """The scheme a name or alias stands for: a key of SCHEMES."""
    known = ALIASES.get(name.lower(), name.lower())
    if known not in SCHEMES:
        raise InputError(
            f"there is no tag scheme {name!r}; there are iob1, iob2 (also called bio), bioes (also called iobes), biluo (spaCy's) and io."
        )
    return known


def are_bare(values: Sequence[str]) -> bool:
    """Are these labels of the scheme io: O and names of types, none of them with a prefix?"""
    types = [value for value in values if value != "O"]
    prefixed = any(len(value.partition("-")[0]) == 1 and value[0] in PREFIXES + "LUM" for value in types)
    return 0 < len(types) < len(values) and not prefixed and all(value[0].isalpha() for value in types)


def letters_of(values: Sequence[str]) -> str:
    """The letters of the prefixes, in the order of PREFIXES: spaCy's where one of the labels has them."""
    return SPACY if any(value[:2] in ("L-", "U-") or value in ("L", "U") for value in values) else PREFIXES


def split_tags(values: Sequence[str], scheme: str | None = None) -> tuple[np.ndarray, list[str]]:
    """The prefix (an index into PREFIXES, int8 [Y]) and the type of each label, refused unless all are tags of the scheme."""
    if scheme == "io" or (scheme is None and are_bare(values)):
        types = ["" if value == "O" else value for value in values]
        return np.array([OUTSIDE if value == "O" else INSIDE for value in values], np.int8), types
    letters = letters_of(values)
    allowed = SCHEMES[scheme] if scheme else letters
    prefixes, types = np.zeros(len(values), np.int8), []
    for y, value in enumerate(values):
        head, dash, kind = value.partition("-")
        if len(head) != 1 or head not in letters or (dash and (head == "O" or not kind)):
            raise InputError(_no_tag(values, value))
        if head not in allowed:
            others = "bioes" if head in "ES" else "biluo" if head in "LU" else "iob1 or iob2"
            raise InputError(f"the tag {value!r} does not belong to {scheme}, which has {', '.join(allowed)}; name the scheme {others}.")
        prefixes[y] = letters.index(head)
        types.append(kind)
    return prefixes, types


def _no_tag(values: Sequence[str], value: str) -> str:
    if all(value.isdecimal() for value in values):
        names = "--label-names O,B-PER,I-PER,... gives their names (Hugging Face: dataset.features['ner_tags'].feature.names)"
        return f"the labels are numbers, such as {value}, and spans need names; {names}"
    return f"{value!r} is not a span tag; tags are O, or a prefix and a type such as B-NP or I-NP. Is this the tag column?"


def legal(values: Sequence[str], scheme: str) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Which labels may open a sentence (bool [Y]), follow one another (bool [Y, Y], from row to column) and close it (bool [Y])."""
    scheme = scheme_name(scheme)
    prefix, types = split_tags(values, scheme)
    kind = np.unique(np.array(types), return_inverse=True)[1] if types else np.zeros(0, np.int64)
    same = kind[:, None] == kind[None, :]
    if scheme == "io":
        return np.ones(len(values), bool), np.ones((len(values), len(values)), bool), np.ones(len(values), bool)
    if scheme in WHOLE:
        unfinished = (prefix == BEGIN) | (prefix == INSIDE)
        continues = (prefix == INSIDE) | (prefix == END)
        step = np.where(unfinished[:, None], continues[None, :] & same, ~continues[None, :])
        return ~continues, step, ~unfinished
    # Both IOB schemes have one prefix that needs a token of its own type before it, and forbid nothing else.
    needs = prefix == (INSIDE if scheme == "iob2" else BEGIN)
    step = ~needs[None, :] | ((prefix != OUTSIDE)[:, None] & same)
    return ~needs, step, np.ones(len(values), bool)


def first_illegal(codes: np.ndarray, values: Sequence[str], row_ptr: np.ndarray, scheme: str) -> tuple[int, str] | None:
    """The first token (int) that breaks the scheme, and how, as a clause; None when all tags are legal."""
    start, step, stop = legal(values, scheme)
    codes = np.asarray(codes)
    if not len(codes):
        return None
    bounds = np.asarray(row_ptr)[np.flatnonzero(np.diff(row_ptr))]  # the first token of every sentence that has one
    fits = np.ones(len(codes), bool)
    fits[1:] = step[codes[:-1], codes[1:]]
    fits[bounds] = start[codes[bounds]]
    lasts = np.append(bounds[1:], len(codes)) - 1
    fits_end = np.ones(len(codes), bool)
    fits_end[lasts] = stop[codes[lasts]]
    bad = np.flatnonzero(~(fits & fits_end))
    if not len(bad):
        return None
    t = int(bad[0])
    tag = values[codes[t]]
    if fits[t]:
        return t, f"the tag {tag!r} cannot end a sentence"
    if t in bounds:
        return t, f"the tag {tag!r} cannot begin a sentence"
    return t, f"the tag {tag!r} cannot follow {values[codes[t - 1]]!r}"


def check(codes: np.ndarray, values: Sequence[str], row_ptr: np.ndarray, scheme: str, *, where: Callable[[int], str] | None = None) -> None:
    """Raise InputError at the first token whose tag the scheme does not allow there; `where(token)` says file:line."""
    scheme = scheme_name(scheme)
    found = first_illegal(codes, values, row_ptr, scheme)
    if found is None:
        return
    token, clause = found
    fitting = [name for name in SCHEMES if name != scheme and _fits(codes, values, row_ptr, name)]
    works = f"the tags are legal {' and '.join(fitting)}: name that scheme" if fitting else "correct the tag, or convert with strict=False"
    sentence = int(np.searchsorted(row_ptr, token, side="right"))
    place = where(token) if where else f"sentence {sentence}, token {token - int(row_ptr[sentence - 1]) + 1}"
    raise InputError(f"{clause} in {scheme}; {works}.", place)


def _fits(codes, values, row_ptr, scheme: str) -> bool:
    if scheme == "io" or not {value[0] for value in values} <= set(SCHEMES[scheme]):
        return False
    return first_illegal(codes, values, row_ptr, scheme) is None


def detect(values: Sequence[str], codes: np.ndarray | None = None, row_ptr: np.ndarray | None = None) -> str:
    """The scheme of a label list, or, given the codes, of the tag sequences themselves.

    E- or S- means bioes, L- or U- biluo, no prefix at all io. Labels alone cannot always tell iob1 from iob2: a type that has I- and no B-
    means iob1, else iob2. With codes [N] and row_ptr [S+1] it is iob2 when that is legal throughout, else iob1 when that is, else the
    verdict on the labels.
    """
    if are_bare(values):
        return "io"
    prefix, types = split_tags(values)
    if np.any(prefix >= END):
        return "bioes" if letters_of(values) == PREFIXES else "biluo"
    if codes is not None and row_ptr is not None:
        for scheme in ("iob2", "iob1"):
            if first_illegal(codes, values, row_ptr, scheme) is None:
                return scheme
    opened = {kind for p, kind in zip(prefix, types) if p == BEGIN}
    return "iob1" if any(p == INSIDE and kind not in opened for p, kind in zip(prefix, types)) else "iob2"


def convert(
    codes: np.ndarray,
    values: Sequence[str],
    row_ptr: np.ndarray,
    from_scheme: str,
    to_scheme: str,
    *,
    where: Callable[[int], str] | None = None,
    strict: bool = True,
) -> tuple[np.ndarray, list[str]]:
    """The same spans in another scheme: codes (int32 [N]) and labels in order of first occurrence.

    Illegal input is refused at `where(token)`; with strict=False it is read as conlleval reads it: B and S open a span, and so do I and E
    that continue none.
    """
    from_scheme, to_scheme = scheme_name(from_scheme), scheme_name(to_scheme)
    if strict:
        check(codes, values, row_ptr, from_scheme, where=where)
    prefix_of, kind_of, names = _prefixes_and_kinds(tuple(values), from_scheme)
    codes = np.asarray(codes)
    if not len(codes):
        return np.zeros(0, np.int32), []
    prefix, kind = prefix_of[codes], kind_of[codes]
    first = np.zeros(len(codes) + 1, bool)
    first[row_ptr] = True
    touches = np.zeros(len(codes), bool)  # the token before is in this sentence, in a span, and of the same type
    touches[1:] = (prefix[:-1] != OUTSIDE) & (kind[:-1] == kind[1:]) & ~first[1:-1]
    within = prefix != OUTSIDE
    opens = (prefix == BEGIN) | (prefix == SINGLE) | (within & ~touches)
    opens[1:] |= within[1:] & (prefix[:-1] >= END)
    closes = first[1:].copy()
    closes[:-1] |= opens[1:] | ~within[1:]
    if to_scheme in WHOLE:
        new = np.where(opens, np.where(closes, SINGLE, BEGIN), np.where(closes, END, INSIDE))
    else:
        new = np.where(_begins(to_scheme, opens, touches), BEGIN, INSIDE)
    tags = np.where(within, kind * len(PREFIXES) + new, 0)  # O has prefix 0, which no tag within a span has
    seen = np.full(len(names) * len(PREFIXES), len(codes))
    seen[tags[::-1]] = np.arange(len(codes))[::-1]  # the last write stands: the first occurrence
    order = np.argsort(seen, kind="stable")[: np.count_nonzero(seen < len(codes))]
    rank = np.zeros(len(seen), np.int32)
    rank[order] = np.arange(len(order))
    labels = ["O" if tag == 0 else spell(tag % len(PREFIXES), names[tag // len(PREFIXES)], to_scheme) for tag in order.tolist()]
    return rank[tags], labels


@functools.lru_cache(maxsize=16)
def _prefixes_and_kinds(values: tuple[str, ...], scheme: str) -> tuple[np.ndarray, np.ndarray, list[str]]:
    """The prefix and the type of each label, as numbers, and the types' names."""
    prefixes, types = split_tags(values, scheme)
    names = list(dict.fromkeys(types))
    return prefixes, np.array([names.index(kind) for kind in types], np.int64), names


def _begins(scheme: str, opens: np.ndarray, touches: np.ndarray) -> np.ndarray:
    """Which tokens are B, in a scheme that does not mark ends."""
    return {"iob1": opens & touches, "iob2": opens, "io": np.zeros_like(opens)}[scheme]


def spell(prefix: int, kind: str, scheme: str) -> str:
    """The tag of a scheme; the prefix is an index into PREFIXES."""
    if prefix == OUTSIDE:
        return "O"
    if scheme == "io":
        return kind
    letter = (SPACY if scheme == "biluo" else PREFIXES)[prefix]
    return f"{letter}-{kind}" if kind else letter


def tags_of(kind: str, scheme: str) -> list[str]:
    """The tags that spans of a type may have in a scheme."""
    return [spell((SPACY if scheme == "biluo" else PREFIXES).index(letter), kind, scheme) for letter in SCHEMES[scheme][1:]]
