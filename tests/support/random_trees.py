"""Trees for Hypothesis: any shape, chains that repeat labels, labels that look like names of symbols."""

from hypothesis import strategies as st

from widemargin.families.constituency.tree import Tree

LABELS = ["S", "NP", "VP", "S+VP", "NP|", "A^B", "A\\", "NN"]
TAGS = ["NN", "DT", "NP", "A^B"]
WORDS = ["a", "dog", "like(d)", ":)", "{", "ö"]


@st.composite
def trees(draw, *, words=None, tags=None, longest=8, labels=tuple(LABELS)):
    """A tree over these words, or over random ones."""
    if words is None:
        n = draw(st.integers(1, longest))
        words = tuple(draw(st.lists(st.sampled_from(WORDS), min_size=n, max_size=n)))
        tags = tuple(draw(st.lists(st.sampled_from(TAGS), min_size=n, max_size=n)))
    brackets: list[tuple[int, int, str]] = []

    def add(first, end, needed):
        for _ in range(draw(st.integers(1 if needed else 0, 3))):
            brackets.append((first, end, draw(st.sampled_from(labels))))
        if end - first > 1:
            cuts = sorted(draw(st.sets(st.integers(first + 1, end - 1), min_size=1)))
            for low, high in zip([first, *cuts], [*cuts, end]):
                add(low, high, high - low > 1)

    add(0, len(words), len(words) > 1)
    return Tree(tuple(words), tuple(tags), tuple(brackets))
