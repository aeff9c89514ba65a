"""Events: who did what to whom, when and for how much. A report is written about an event, and several papers may report the same one."""

from dataclasses import dataclass

from .lexicon import read_classes
from .numbers import FIGURES, Words
from .stream import Stream
from .world import ORGANISATIONS, Entity, World, make_organisation, make_person, make_place, make_work

PLACES = frozenset(["town", "district", "street", "river", "country"])
CITIZENS = tuple(tuple(entry.split("_")) for entry in read_classes("occupations.txt")["citizen"])
KNOWN = 0.45


@dataclass(frozen=True)
class Event:
    """One thing that happened: its kind, the entities in its roles, and its figures (sums, scores, dates), spelt as words."""

    id: str
    kind: str
    roles: dict[str, Entity]
    figures: dict[str, Words]


def cast(stream: Stream, world: World, id: str, kind: str, roles: dict[str, str]) -> Event:
    """An event of a kind: each role is filled by somebody the town knows or by a stranger, each figure by a number."""
    filled: dict[str, Entity] = {}
    staff: dict[str, tuple[tuple[str, ...], ...]] = {}
    figures: dict[str, Words] = {"weekday": FIGURES["weekday"](stream), "date": FIGURES["date"](stream)}
    for role, wanted in roles.items():
        name = f"{id}-{role}"
        if wanted in FIGURES:
            figures[role] = FIGURES[wanted](stream)
        elif wanted in ORGANISATIONS:
            filled[role], staff[role] = _organisation(stream, world, name, wanted, filled)
        elif wanted == "citizen":
            filled[role] = make_person(stream, name, None, CITIZENS)
        elif wanted.startswith("person@"):
            employer = wanted.removeprefix("person@")
            filled[role] = _employee(stream, world, name, filled, employer, staff[employer])
        elif wanted in PLACES:
            filled[role] = make_place(stream, name, wanted)
        else:
            filled[role] = make_work(stream, name, wanted)
    return Event(id, kind, filled, figures)


def _organisation(
    stream: Stream, world: World, name: str, kind: str, filled: dict[str, Entity]
) -> tuple[Entity, tuple[tuple[str, ...], ...]]:
    """A known organisation that has no role yet, or a new one."""
    if stream.chance(KNOWN):
        known = stream.early(world.organisations[kind])
        if known[0] not in filled.values():
            return known
    return make_organisation(stream, name, kind)


def _employee(
    stream: Stream, world: World, name: str, filled: dict[str, Entity], employer: str, roles: tuple[tuple[str, ...], ...]
) -> Entity:
    """Somebody who works for the organisation: known if the organisation is, and not yet on stage."""
    known = world.people.get(filled[employer].id, [])
    if known and stream.chance(0.7):
        person = stream.choice(known)
        if person not in filled.values():
            return person
    return make_person(stream, name, filled[employer], roles)
