"""How an entity is referred to: in full at first, then by shorter names, descriptions and pronouns, as the report goes on."""

from .lexicon import noun
from .stream import Stream
from .tree import Leaf, Mention, Node
from .world import Entity, name_leaves

PRONOUNS = {"f": ("she", "her", "her"), "m": ("he", "him", "his"), "n": ("it", "it", "its")}
SUBJECTS = {gender: Leaf(forms[0], "PRP", forms[0]) for gender, forms in PRONOUNS.items()}
OBJECTS = {gender: Leaf(forms[1], "PRP", forms[0]) for gender, forms in PRONOUNS.items()}
POSSESSIVES = {gender: Leaf(forms[2], "PRP$", forms[0]) for gender, forms in PRONOUNS.items()}
# Turned into "an" before a vowel when the sentence is finished.
A = Leaf("a", "DT", "a")
THE = Leaf("the", "DT", "the")
OF = Leaf("of", "IN", "of")
FROM = Leaf("from", "IN", "from")
COMMA = Leaf(",", ",", ",")
POSSESSIVE = Leaf("'s", "POS", "'s")
POSSESSIVE_S = Leaf("'", "POS", "'s")
HONORIFICS = {"f": (Leaf("Mrs.", "NNP", "Mrs."), Leaf("Ms.", "NNP", "Ms.")), "m": (Leaf("Mr.", "NNP", "Mr."), Leaf("Mr", "NNP", "Mr."))}
DOCTOR = Leaf("Dr.", "NNP", "Dr.")
TITLES = frozenset(["mayor", "councillor", "inspector", "sergeant", "judge", "professor", "superintendent", "detective"])
# Before a name these are written without an article: "striker Mark Hope".
BARE_TITLES = TITLES | frozenset(
    ["striker", "goalkeeper", "captain", "coach", "manager", "chairman", "director", "historian", "economist", "analyst"]
)
BARE_TITLES |= frozenset(
    ["spokesman", "spokeswoman", "farmer", "teacher", "surgeon", "curator", "conductor", "leader", "president", "founder"]
)


class Discourse:
    """What the reader knows so far: who has been named, and whom a pronoun would mean now."""

    __slots__ = ("brief", "latest", "named", "sentence", "stream")

    def __init__(self, stream: Stream, brief: bool = False):
        self.stream = stream
        self.brief = brief
        self.sentence = 0
        self.named: dict[str, int] = {}
        self.latest: dict[str, Entity] = {}

    def refer(self, entity: Entity, case: str) -> Node:
        """A noun phrase for the entity; case is "subject", "object", "possessive" or "name" (no pronoun); headlines are brief."""
        gender = entity.gender
        last = self.named.get(entity.id)
        recent = last is not None and last >= self.sentence - 1 and self.latest.get(gender) is entity and entity.kind in ("PER", "ORG")
        self.named[entity.id] = self.sentence
        self.latest[gender] = entity
        stream = self.stream
        if recent and case != "name" and stream.uniform() < (0.55 if case == "possessive" else 0.42 if last != self.sentence else 0.8):
            leaf = (SUBJECTS if case == "subject" else OBJECTS if case == "object" else POSSESSIVES)[gender]
            return Node("NP", [leaf], Mention(entity.id, "pronoun"))
        if self.brief:
            node = named(entity, stream.choice(entity.short), "short")
        elif last is None:
            node = self._first(entity, case)
        else:
            node = self._again(entity)
        return possessive(node) if case == "possessive" else node

    def _first(self, entity: Entity, case: str) -> Node:
        """The first mention: the full name, with something that says who it is when there is room for it."""
        base = named(entity, entity.name)
        stream = self.stream
        if entity.kind == "PER":
            return self._introduce(entity, base, case)
        if entity.kind == "ORG" and case == "subject" and stream.chance(0.2):
            article = stream.choice((A, THE))
            kind = Node("NP", [article, Leaf("local", "JJ", "local"), *noun("_".join(entity.noun), "NN")])
            return Node("NP", [base, COMMA, kind, COMMA], Mention(entity.id, "introduced"))
        return base

    def _introduce(self, entity: Entity, base: Node, case: str) -> Node:
        """A person's first mention: title, age, office or home around the name."""
        stream = self.stream
        mention = Mention(entity.id, "introduced")
        role = entity.noun
        u = stream.uniform()
        if u < 0.3:
            return base
        if u < 0.55 and len(role) == 1 and role[0] in BARE_TITLES:
            word = role[0].capitalize() if role[0] in TITLES else role[0]
            title = Leaf(word, "NNP" if role[0] in TITLES else "NN", role[0])
            return Node("NP", [title, *entity.name], Mention(entity.id, "titled"))
        if case == "subject":
            if u < 0.66:
                return Node("NP", [base, COMMA, Node("NP", [Leaf(str(entity.age), "CD", str(entity.age))]), COMMA], mention)
            if u < 0.74:
                home = Node("NP", list(name_leaves([entity.home], "LOC")))
                return Node("NP", [base, COMMA, Node("PP", [FROM, home]), COMMA], mention)
            return Node("NP", [base, COMMA, self._office(entity), COMMA], mention)
        if case == "object" and u < 0.8 and entity.employer is None:
            return Node("NP", [THE, *noun("_".join(role), "NN"), *entity.name], Mention(entity.id, "titled"))
        return base

    def _office(self, entity: Entity) -> Node:
        """What somebody is: "the chairman of Stone & Will", "Orvex 's finance director", "a retired teacher from Harrow"."""
        role = noun("_".join(entity.noun), "NN")
        if entity.employer is None:
            home = Node("NP", list(name_leaves([entity.home], "LOC")))
            return Node("NP", [Node("NP", [A, *role]), Node("PP", [FROM, home])])
        employer = entity.employer
        self.named[employer.id] = self.sentence
        self.latest["n"] = employer
        if self.stream.chance(0.3):
            return Node("NP", [possessive(named(employer, employer.name)), *role])
        name = self.stream.choice(employer.short) if self.stream.chance(0.3) else employer.name
        article = [THE] if self.stream.chance(0.5) else []
        return Node("NP", [Node("NP", [*article, *role]), Node("PP", [OF, named(employer, name)])])

    def _again(self, entity: Entity) -> Node:
        """A later mention: a shorter name, a courtesy title, a description, or the full name once more."""
        stream = self.stream
        u = stream.uniform()
        if entity.kind == "PER":
            if u < 0.14 and entity.noun:
                return Node("NP", [THE, *noun("_".join(entity.noun), "NN")], Mention(entity.id, "described"))
            if u < 0.28:
                title = DOCTOR if entity.noun[0] in ("surgeon", "doctor", "dentist") else stream.choice(HONORIFICS[entity.gender])
                return Node("NP", [title, *entity.short[0]], Mention(entity.id, "short"))
            return named(entity, entity.name if u > 0.93 else entity.short[0], "short")
        if entity.noun and u < 0.25 and entity.kind != "LOC":
            return Node("NP", [THE, *noun("_".join(entity.noun), "NN")], Mention(entity.id, "described"))
        if u < 0.7:
            return named(entity, stream.choice(entity.short), "short")
        return named(entity, entity.name)


def named(entity: Entity, name: tuple[Leaf, ...], form: str = "name") -> Node:
    """The phrase that is a name; the full name may have an article, shorter ones stand without."""
    kids: list[Node | Leaf] = [THE, *name] if entity.article and name is entity.name else [*name]
    return Node("NP", kids, Mention(entity.id, form))


def possessive(node: Node) -> Node:
    """The phrase with 's behind it; a name that ends in one (Hope 's) has it already."""
    last = node.children[-1]
    if isinstance(last, Leaf) and last.pos == "POS":
        return node
    marker = POSSESSIVE_S if isinstance(last, Leaf) and last.word.endswith("s") and last.pos in ("NNPS", "NNS") else POSSESSIVE
    return Node(node.label, [*node.children, marker], node.mention)
