"""The grammar: rules in text files, compiled into functions that build trees.

A rule is `LABEL.name [weight] : body`. A body is a sequence of
    (LABEL ...)     a phrase                          the, of, was    a word with its usual part of speech
    word/POS        a word                            NN:tool         a word of a class, in the form the tag asks for
    NP.plan         any rule of that name             { a | b | c }   one of several sequences, equally likely
    @who  @who's    an entity of the event            #sum            a figure of the event (or any figure of that kind)
    @who*           an entity by name, neither a pronoun nor introduced between commas (where commas follow)
    %town           any name of that kind, of something that plays no part in the event
and `?30` behind an atom or a phrase makes it optional (30 per cent). Verbs in the present tense, and was, agree with the subject.
"""

import re
from collections.abc import Callable, Iterator
from pathlib import Path

from .events import Event
from .lexicon import items, read_classes
from .mentions import Discourse
from .morphology import lines
from .numbers import FIGURES
from .stream import Stream
from .tree import Leaf, Node
from .world import PASSING

RULES = Path(__file__).parent / "rules"
USUAL_POS = {word: pos for pos, words in read_classes("function.txt").items() for word in words}
LEMMAS = {
    "was": "be",
    "is": "be",
    "been": "be",
    "being": "be",
    "has": "have",
    "had": "have",
    "did": "do",
    "does": "do",
    "an": "a",
    "n't": "not",
}
AGREEING = {
    "was": Leaf("were", "VBD", "be"),
    "is": Leaf("are", "VBP", "be"),
    "has": Leaf("have", "VBP", "have"),
    "does": Leaf("do", "VBP", "do"),
}
PLURAL_HEADS = frozenset(["NNS", "NNPS"])


class Scene:
    """What the building of one report goes by: its event, what has been said, the wording stream, and the subject of the clause at hand."""

    __slots__ = ("discourse", "event", "stream", "subject", "uniform")

    def __init__(self, event: Event, stream: Stream, discourse: Discourse):
        self.event = event
        self.stream = stream
        self.uniform = stream.uniform
        self.discourse = discourse
        self.subject: Node | None = None

    def plural(self) -> bool:
        """True if the verb of the clause at hand is to be plural."""
        if self.subject is None:
            return False
        if any(isinstance(child, Leaf) and child.pos == "CC" and child.entity == "O" for child in self.subject.children):
            return True
        head = self.subject.head_leaf()
        # Names in the plural (Rovers, May Brothers) take a singular verb here; figures (240 people) do not.
        return (head.pos in PLURAL_HEADS and head.entity == "O") or head.word in ("they", "we", "you", "I")


Build = Callable[[Scene, list[Node | Leaf]], None]


class Grammar:
    """Named rules; the functions look a name up when they run, so rules may refer to later ones and to themselves."""

    def __init__(self) -> None:
        self.rules: dict[str, list[Build]] = {}

    def read(self, name: str) -> None:
        """Adds the rules of a file."""
        for line in lines(name, RULES):
            head, body = line.split(" : ", 1)
            label, *weight = head.split()
            self.rules.setdefault(label, []).extend([in_order(self.parts(body, label.partition(".")[0]))] * int(weight[0] if weight else 1))

    def parts(self, body: str, parent: str) -> list[Build]:
        """The functions that append what the body describes to a list of children; `parent` is the label of the phrase they go into."""
        tokens = iter(re.findall(r"[(){}|]|[^\s(){}|]+", body))
        parts, closing = self._sequence(tokens, parent)
        if closing:
            raise ValueError(f"Unbalanced {closing!r} in the rule {body!r}.")
        return parts

    def sentence(self, body: str) -> Build:
        """The function that builds a sentence whose children the body describes."""
        return phrase("S", self.parts(body, "S"))

    def _sequence(self, tokens: Iterator[str], parent: str) -> tuple[list[Build], str]:
        """The parts up to the next closing bracket or bar, which is returned with them."""
        parts: list[Build] = []
        for token in tokens:
            if token in (")", "}", "|"):
                return parts, token
            if token == "(":
                label = next(tokens)
                inside, closing = self._sequence(tokens, label)
                if closing != ")":
                    raise ValueError(f"A phrase ({label} ...) of the grammar is not closed.")
                parts.append(phrase(label, inside))
            elif token == "{":
                options, closing = [], "|"
                while closing == "|":
                    inside, closing = self._sequence(tokens, parent)
                    options.append(in_order(inside))
                parts.append(one_of(options))
            elif re.fullmatch(r"\?\d+", token):
                parts[-1] = perhaps(parts[-1], int(token[1:]) / 100)
            else:
                parts.append(self._atom(token, parent))
        return parts, ""

    def _atom(self, token: str, parent: str) -> Build:
        """A word, a word class, a rule, an entity or a figure, optional or not."""
        if match := re.fullmatch(r"(.+)\?(\d+)", token):
            return perhaps(self._atom(match[1], parent), int(match[2]) / 100)
        if token.startswith("@"):
            case = "possessive" if token.endswith("'s") else "name" if token.endswith("*") else "subject" if parent == "S" else "object"
            return entity(token[1:].removesuffix("'s").removesuffix("*"), case)
        if token.startswith("#"):
            return figure(token[1:])
        if token.startswith("%"):
            return any_name(token[1:])
        if re.fullmatch(r"[A-Z]+\.\w+", token):
            return expansion(self.rules.setdefault(token, []))
        if match := re.fullmatch(r"([A-Z]+):(\w+)", token):
            return lexical(match[1], match[2])
        return literal(token)


def in_order(parts: list[Build]) -> Build:
    """Builds the parts one after the other."""
    if len(parts) == 1:
        return parts[0]

    def build(scene: Scene, out: list[Node | Leaf]) -> None:
        for part in parts:
            part(scene, out)

    return build


def phrase(label: str, parts: list[Build]) -> Build:
    """Builds a phrase; inside clauses and noun phrases, a noun phrase that has been built is the subject of the verbs behind it."""
    subjects = label in ("S", "NP", "SINV")

    def build(scene: Scene, out: list[Node | Leaf]) -> None:
        children: list[Node | Leaf] = []
        outer = scene.subject
        for part in parts:
            part(scene, children)
            if subjects and children:
                last = children[-1]
                if isinstance(last, Node):
                    # A clause as the subject (feeding animals was ...) takes a singular verb.
                    scene.subject = last if last.label == "NP" else None if last.label in ("S", "SBAR") else scene.subject
        if subjects:
            scene.subject = outer
        out.append(Node(label, children))

    return build


def one_of(options: list[Build]) -> Build:
    """Builds one of the options."""
    n = len(options)

    def build(scene: Scene, out: list[Node | Leaf]) -> None:
        options[int(scene.uniform() * n)](scene, out)

    return build


def perhaps(part: Build, probability: float) -> Build:
    """Builds the part or nothing."""

    def build(scene: Scene, out: list[Node | Leaf]) -> None:
        if scene.uniform() < probability:
            part(scene, out)

    return build


def expansion(bodies: list[Build]) -> Build:
    """Builds one of the rules of a name."""

    def build(scene: Scene, out: list[Node | Leaf]) -> None:
        bodies[int(scene.uniform() * len(bodies))](scene, out)

    return build


def entity(role: str, case: str) -> Build:
    """Refers to the entity in a role."""

    def build(scene: Scene, out: list[Node | Leaf]) -> None:
        out.append(scene.discourse.refer(scene.event.roles[role], case))

    return build


def figure(name: str) -> Build:
    """States a figure of the event, or makes one up."""

    def build(scene: Scene, out: list[Node | Leaf]) -> None:
        words = scene.event.figures.get(name)
        out.extend(FIGURES[name](scene.stream) if words is None else words)

    return build


def any_name(kind: str) -> Build:
    """Puts a name in passing: a town, a nationality, a club, a month's fair, a newspaper."""
    make = PASSING[kind]

    def build(scene: Scene, out: list[Node | Leaf]) -> None:
        out.extend(make(scene.stream))

    return build


def lexical(pos: str, key: str) -> Build:
    """Puts a word of a class; a present tense agrees with the subject."""
    table = items(pos, key)
    n = len(table)
    # Earlier words are likelier, but less so than in a true Zipf law, so that a small corpus still has many words.

    def build(scene: Scene, out: list[Node | Leaf]) -> None:
        u = scene.uniform()
        out.extend(table[int(u * (0.6 + 0.4 * u) * n)])

    if pos != "VBZ":
        return build
    plural_table = items("VBP", key)

    def build_agreeing(scene: Scene, out: list[Node | Leaf]) -> None:
        u = scene.uniform()
        out.extend((plural_table if scene.plural() else table)[int(u * (0.6 + 0.4 * u) * n)])

    return build_agreeing


def literal(token: str) -> Build:
    """Puts a fixed word."""
    word, slash, pos = token.rpartition("/")
    if not slash:
        word, pos = token, USUAL_POS.get(token, "")
        if not pos:
            raise ValueError(f"The grammar's word {token!r} needs a part of speech: write it as word/POS.")
    leaf = Leaf(word, pos, LEMMAS.get(word, word))

    def build(scene: Scene, out: list[Node | Leaf]) -> None:
        out.append(leaf)

    if pos not in ("VBD", "VBZ") or word not in AGREEING:
        return build
    plural = AGREEING[word]

    def build_agreeing(scene: Scene, out: list[Node | Leaf]) -> None:
        out.append(plural if scene.plural() else leaf)

    return build_agreeing
