"""Reports: what can be written about each kind of event, read from the rule files, and the plan by which a report is put together."""

import functools
from dataclasses import dataclass, field

from .events import Event
from .grammar import RULES, Build, Grammar, Scene
from .mentions import Discourse
from .morphology import lines
from .stream import Stream
from .tree import Leaf, Node

THEMES = ("business.txt", "civic.txt", "sport.txt", "emergencies.txt", "culture.txt")
STOP = Leaf(".", ".", ".")
AN = Leaf("an", "DT", "a")
# Written letters that sound like a vowel at the start of a figure (an 8-year, an 11 percent rise).
VOWEL_STARTS = frozenset("aeiouAEIOU8")
SOUNDS_CONSONANT = ("uni", "use", "Uni", "one", "eu", "Eu", "usu", "once")


@dataclass
class Kind:
    """A kind of event: its roles, and patterns for headlines, opening sentences and further sentences."""

    roles: dict[str, str]
    headline: list[Build] = field(default_factory=list)
    lead: list[Build] = field(default_factory=list)
    detail: list[Build] = field(default_factory=list)


@dataclass
class Library:
    """Everything that can be written: kinds of events by name, and sentences that fit any report."""

    kinds: dict[str, Kind]
    general: list[Build]
    openings: list[Build]
    tails: list[Build]


@functools.cache
def library() -> Library:
    """Reads and compiles the rule files, once."""
    grammar = Grammar()
    for name in ("phrases.txt", "clauses.txt"):
        grammar.read(name)
    kinds: dict[str, Kind] = {}
    for name in THEMES:
        for line in lines(name, RULES):
            section, _, body = line.partition(": ")
            if section.startswith("event "):
                kind = kinds[section.removeprefix("event ")] = Kind(dict(pair.split("=") for pair in body.split()))
            else:
                getattr(kind, section).append(grammar.sentence(body))
    general = [grammar.sentence(line) for line in lines("general.txt", RULES)]
    empty = sorted(name for name, bodies in grammar.rules.items() if not bodies)
    if empty:
        raise ValueError(f"The grammar uses rules that no file defines: {', '.join(empty)}.")
    return Library(kinds, general, grammar.rules["X.opening"], grammar.rules["X.tail"])


def write_report(event: Event, stream: Stream) -> list[Node]:
    """The trees of a report's sentences: now and then a headline, an opening, then details and sentences that fit any report."""
    texts = library()
    kind = texts.kinds[event.kind]
    discourse = Discourse(stream)
    scene = Scene(event, stream, discourse)
    trees = []
    if kind.headline and stream.chance(0.4):
        # A headline is read apart from the text: the text introduces everybody anew.
        tree = built(stream.choice(kind.headline), Scene(event, stream, Discourse(stream, brief=True)))
        trees.append(capitals(tree) if stream.chance(0.4) else finished(tree))
    details = stream.shuffled(kind.detail)[: stream.between(3, 6)]
    general = stream.shuffled(texts.general)[: stream.between(2, 6)]
    plan = [stream.choice(kind.lead), details[0], *stream.shuffled(details[1:] + general)]
    for pattern in plan:
        tree = extended(built(pattern, scene), scene, texts)
        trees.append(finished(tree))
        discourse.sentence += 1
    return trees


def built(pattern: Build, scene: Scene) -> Node:
    """The tree that a pattern builds."""
    out: list[Node | Leaf] = []
    scene.subject = None
    pattern(scene, out)
    tree = out[0]
    assert isinstance(tree, Node)
    return tree


def extended(tree: Node, scene: Scene, texts: Library) -> Node:
    """The sentence with its full stop, and now and then a phrase in front or a clause behind."""
    children = tree.children
    last = children[-1]
    if isinstance(last, Leaf) and last.pos in (".", "''"):
        return tree
    stream = scene.stream
    first = children[0]
    if isinstance(first, Node) and first.label == "NP":
        scene.subject = None
        if stream.chance(0.25):
            opening: list[Node | Leaf] = []
            stream.choice(texts.openings)(scene, opening)
            children[:0] = opening
        if stream.chance(0.66):
            stream.choice(texts.tails)(scene, children)
    children.append(STOP)
    return tree


def finished(tree: Node) -> Node:
    """The tree with a capital at its start, and `an` where `a` stands before a vowel."""
    leaves = list(tree.leaves())
    for i, leaf in enumerate(leaves):
        if leaf.lemma == "a" and leaf.pos == "DT" and leaf.word == "a" and vowel_sound(leaves[i + 1].word):
            leaves[i] = AN
            tree = replaced(tree, i, AN)
    start = 1 if leaves[0].pos == "``" else 0
    first = leaves[start]
    if first.word[0].islower():
        tree = replaced(tree, start, first._replace(word=first.word[0].upper() + first.word[1:]))
    return tree


def vowel_sound(word: str) -> bool:
    """True if `an` goes before the word."""
    return (word[0] in VOWEL_STARTS and not word.startswith(SOUNDS_CONSONANT)) or word in ("11", "18")


def capitals(tree: Node) -> Node:
    """The tree with every word in capital letters."""
    children = [child._replace(word=child.word.upper()) if isinstance(child, Leaf) else capitals(child) for child in tree.children]
    return Node(tree.label, children, tree.mention)


def replaced(node: Node, i: int, leaf: Leaf) -> Node:
    """The tree with another i-th leaf; nodes on the way are copied, for phrases such as figures are shared between sentences."""
    children = list(node.children)
    for k, child in enumerate(children):
        size = 1 if isinstance(child, Leaf) else sum(1 for _ in child.leaves())
        if i < size:
            children[k] = leaf if isinstance(child, Leaf) else replaced(child, i, leaf)
            return Node(node.label, children, node.mention)
        i -= size
    raise IndexError("The tree has fewer leaves than that.")
