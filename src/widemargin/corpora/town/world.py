"""The world the news is about: people, firms, clubs, offices, places and works, with what is true of them."""

from collections.abc import Callable
from dataclasses import dataclass

from . import names
from .morphology import lines
from .names import NAMES
from .stream import Stream
from .tree import Leaf

HOME = "Dunmere"


@dataclass(frozen=True, slots=True)
class Entity:
    """Somebody or something with a name. `short` are the shorter names it goes by later on; `noun` is what it can be described as."""

    id: str
    kind: str
    name: tuple[Leaf, ...]
    short: tuple[tuple[Leaf, ...], ...]
    noun: tuple[str, ...] = ()
    article: bool = False
    gender: str = "n"
    age: int = 0
    employer: "Entity | None" = None
    home: str = HOME


@dataclass(frozen=True, slots=True)
class Pattern:
    """A row of the table of organisations."""

    noun: tuple[str, ...]
    names: tuple[str, ...]
    roles: tuple[tuple[str, ...], ...]


def read_patterns() -> dict[str, list[Pattern]]:
    """The table of organisations, by kind."""
    table: dict[str, list[Pattern]] = {}
    for line in lines("organisations.txt"):
        kind, noun, patterns, roles = (field.strip() for field in line.split(";"))
        row = Pattern(tuple(noun.split("_")), tuple(patterns.split()), tuple(tuple(role.split("_")) for role in roles.split()))
        table.setdefault(kind, []).append(row)
    return table


ORGANISATIONS = read_patterns()
NAME_POS = {
    "&": "CC",
    "and": "CC",
    "of": "IN",
    "the": "DT",
    "for": "IN",
    "over": "IN",
    "in": "IN",
    "'s": "POS",
    "'": "POS",
    "The": "DT",
    "A": "DT",
}
NAME_POS |= {
    "Brothers": "NNPS",
    "Sons": "NNPS",
    "Daughters": "NNPS",
    "Three": "CD",
    "Friends": "NNPS",
    "Rovers": "NNPS",
    "Wanderers": "NNPS",
}
PLACE_NOUNS = {"town": ("village",), "district": ("district",), "street": ("street",), "country": ("country",), "river": ("river",)}
WORK_NOUNS = {"cup": "competition", "fair": "festival", "ship": "boat", "title": "book", "award": "award", "demonym": "nationality"}
OVERSIZED_SHORT = (
    "Chapel",
    "First",
    "National",
    "Union",
    "University",
    "Friends",
    "Save",
    "Museum",
    "New",
    "Food",
    "Weather",
    "Roads",
    "Rail",
)


def name_leaves(words: list[str], kind: str) -> tuple[Leaf, ...]:
    """The words of a name as leaves that carry the entity type."""
    first = [Leaf(words[0], NAME_POS.get(words[0], "NNP"), words[0], "B-" + kind)]
    return tuple(first + [Leaf(word, NAME_POS.get(word, "NNP"), word, "I-" + kind) for word in words[1:]])


def make_person(stream: Stream, id: str, employer: Entity | None, roles: tuple[tuple[str, ...], ...]) -> Entity:
    """A person; the family name alone is the shorter name."""
    gender = "f" if stream.chance(0.48) else "m"
    family = names.surname(stream, 0.45)
    first = [names.given(stream, gender)]
    u = stream.uniform()
    if u < 0.06:
        first.append(stream.choice("ABCDEFGHJKLMPRSTW") + ".")
    elif u < 0.09:
        first = [first[0][0] + ".", stream.choice("ABCDEFGHJKLMPRSTW") + "."]
    return Entity(
        id,
        "PER",
        name_leaves([*first, family], "PER"),
        (name_leaves([family], "PER"),),
        stream.early(roles),
        gender=gender,
        age=stream.between(17, 84),
        employer=employer,
        home=names.town(stream) if stream.chance(0.4) else HOME,
    )


def make_organisation(stream: Stream, id: str, kind: str) -> tuple[Entity, tuple[tuple[str, ...], ...]]:
    """An organisation of a kind, and the roles its people can have."""
    pattern = stream.choice(ORGANISATIONS[kind])
    words = names.organisation(stream, stream.choice(pattern.names), HOME).split("_")
    short = [name_leaves(words[:1], "ORG")] if words[0] not in OVERSIZED_SHORT and words[0] != "St." else [name_leaves(words, "ORG")]
    initials = "".join(word[0] for word in words if word[0].isupper())
    if len(initials) >= 3:
        short.append(name_leaves([initials], "ORG"))
    if kind == "club" and len(words) == 2:
        short.append(name_leaves(words[1:], "ORG"))
    article = words[-1] in (
        "Police",
        "Board",
        "Agency",
        "Inspectorate",
        "Union",
        "Federation",
        "League",
        "Party",
        "Alliance",
        "Bureau",
        "Office",
    )
    article = (
        article
        or words[0] in ("National", "Chapel", "University", "Union", "Museum", "First", "Bus")
        or words[-1] in ("Collection", "Philharmonic", "Line")
    )
    return Entity(id, "ORG", name_leaves(words, "ORG"), tuple(short), pattern.noun, article=article), pattern.roles


def make_place(stream: Stream, id: str, kind: str) -> Entity:
    """A place of a kind: town, district, street, river or country."""
    if kind == "country":
        text = stream.early(NAMES["country"])
    else:
        text = {"town": names.town, "district": names.district, "street": names.street, "river": names.river}[kind](stream)
    leaves = name_leaves(text.split("_"), "LOC")
    return Entity(id, "LOC", leaves, (leaves,), PLACE_NOUNS[kind], article=kind == "river" or text.startswith("The"))


def make_work(stream: Stream, id: str, kind: str) -> Entity:
    """Something named that is no person, place or organisation: a cup, a fair, a ship, a book, an award."""
    if stream.chance(0.3) and kind in ("cup", "fair", "ship", "award"):
        second = {"cup": ["Cup", "Shield", "Trophy"], "fair": ["Fair", "Festival", "Day"], "ship": [], "award": ["Prize", "Medal"]}[kind]
        words = [names.surname(stream)] + ([stream.choice(second)] if second else [])
    else:
        words = stream.early(NAMES[kind]).split("_")
    leaves = name_leaves(words, "MISC")
    return Entity(id, "MISC", leaves, (leaves,), (WORK_NOUNS[kind],), article=kind in ("cup", "fair", "ship", "award"))


def passing_demonym(stream: Stream) -> tuple[Leaf, ...]:
    """A nationality, as an adjective."""
    word = stream.early(NAMES["demonym"])
    return (Leaf(word, "JJ", word, "B-MISC"),)


# Names mentioned in passing, by kind: they need no identity, for nothing more is said about them.
PASSING: dict[str, Callable[[Stream], tuple[Leaf, ...]]] = {
    "demonym": passing_demonym,
    "town": lambda stream: name_leaves([names.town(stream)], "LOC"),
    "home": lambda stream: name_leaves([HOME], "LOC"),
    "country": lambda stream: name_leaves([stream.early(NAMES["country"])], "LOC"),
    "street": lambda stream: name_leaves(names.street(stream).split("_"), "LOC"),
    "person": lambda stream: name_leaves([names.given(stream, stream.choice("fm")), names.surname(stream)], "PER"),
    "surname": lambda stream: name_leaves([names.surname(stream)], "PER"),
    "club": lambda stream: name_leaves(
        names.organisation(stream, stream.early(("T", "T_United", "T_Rovers", "T_Albion")), HOME).split("_"), "ORG"
    ),
    "firm": lambda stream: name_leaves(
        names.organisation(stream, stream.early(("S_&_S", "C", "S_Brothers", "S", "T_Stores")), HOME).split("_"), "ORG"
    ),
    "paper": lambda stream: name_leaves([stream.choice((HOME, "Orr", "County")), stream.early(NAMES["paper"])], "ORG"),
    "fair": lambda stream: name_leaves(stream.early(NAMES["fair"]).split("_"), "MISC"),
    "title": lambda stream: name_leaves(stream.early(NAMES["title"]).split("_"), "MISC"),
}


class World:
    """The town's lasting population, shared by train, dev and test; strangers are made up for one event and are new each time."""

    def __init__(self, seed: int):
        stream = Stream(seed, "world")
        self.organisations: dict[str, list[tuple[Entity, tuple[tuple[str, ...], ...]]]] = {}
        self.people: dict[str, list[Entity]] = {}
        for kind in ORGANISATIONS:
            known = [make_organisation(stream, f"{kind}-{i}", kind) for i in range(20 if kind in ("firm", "club") else 4)]
            self.organisations[kind] = known
            for employer, roles in known:
                self.people[employer.id] = [make_person(stream, f"{employer.id}-person-{i}", employer, roles) for i in range(3)]
