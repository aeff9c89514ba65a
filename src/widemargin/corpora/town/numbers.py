"""Amounts, dates and other figures: each kind draws a value and spells it as the words of a noun phrase."""

from collections.abc import Callable

from .names import NAMES
from .stream import Stream
from .tree import Leaf, Node

SMALL = "two three four five six seven eight nine ten eleven twelve fifteen twenty thirty forty".split()
ORDINALS = "first second third fourth fifth sixth tenth".split()
Words = tuple[Leaf | Node, ...]


def number(text: str) -> Leaf:
    """A number as a word."""
    return Leaf(text, "CD", text)


def noun(text: str, pos: str = "NNS") -> Leaf:
    """A unit of measure."""
    return Leaf(text, pos, text.removesuffix("s"))


def thousands(stream: Stream) -> str:
    """A round number with a comma, or a smaller one without."""
    return f"{stream.between(1, 90)},{stream.between(0, 9)}00" if stream.chance(0.6) else str(10 * stream.between(10, 99))


def money(stream: Stream) -> Words:
    """A sum, in crowns at home and in dollars abroad."""
    u = stream.uniform()
    if u < 0.35:
        return Node("QP", [number(f"{stream.between(1, 40)}.{stream.between(1, 9)}"), number("million")]), noun("crowns")
    if u < 0.8:
        return number(thousands(stream)), noun("crowns")
    amount = Node("QP", [Leaf("$", "$", "$"), number(str(stream.between(2, 95))), number(stream.choice(("million", "million", "billion")))])
    return (amount,)


def percent(stream: Stream) -> Words:
    """A percentage."""
    value = f"{stream.between(1, 60)}.{stream.between(1, 9)}" if stream.chance(0.4) else str(stream.between(2, 95))
    return number(value), noun("percent", "NN")


def people(stream: Stream) -> Words:
    """How many people."""
    value = number(thousands(stream) if stream.chance(0.5) else str(stream.between(11, 240)))
    if stream.chance(0.3):
        about = stream.choice(("about", "around", "nearly", "almost", "roughly"))
        return Node("QP", [Leaf(about, "RB", about), value]), noun("people")
    if stream.chance(0.2):
        return Node("QP", [Leaf("more", "JJR", "more"), Leaf("than", "IN", "than"), value]), noun("people")
    return value, noun("people")


def score(stream: Stream) -> Words:
    """The result of a match."""
    lost = stream.below(4)
    return (number(f"{lost + stream.between(1, 3)}-{lost}"),)


def date(stream: Stream) -> Words:
    """A day of a month, with or without the year."""
    day = number(str(stream.between(1, 28)))
    month = Leaf(stream.choice(NAMES["month"] if stream.chance(0.75) else NAMES["abbreviated"]), "NNP", "month")
    parts = (month, day) if stream.chance(0.7) else (day, month)
    return (*parts, Leaf(",", ",", ","), *year(stream)) if stream.chance(0.1) and parts[0] is month else parts


def year(stream: Stream) -> Words:
    """A year."""
    return (number(str(stream.between(1880, 2029))),)


def clock(stream: Stream) -> Words:
    """A time of day."""
    hour = stream.between(1, 12)
    if stream.chance(0.3):
        return number(stream.choice(SMALL[:11])), Leaf("o'clock", "RB", "o'clock")
    minute = stream.choice(("", ":15", ":30", ":45"))
    half = stream.choice(("a.m.", "p.m."))
    return number(f"{hour}{minute}"), Leaf(half, "NN", half)


def age(stream: Stream) -> Words:
    """An age in years."""
    return (number(str(stream.between(6, 92))),)


def yearold(stream: Stream) -> Words:
    """An age as an adjective."""
    text = f"{stream.between(6, 92)}-year-old"
    return (Leaf(text, "JJ", text),)


def sized(stream: Stream) -> Words:
    """A measure as an adjective: 30-metre, two-hour."""
    value = stream.early(SMALL) if stream.chance(0.5) else str(stream.between(11, 90))
    text = f"{value}-{stream.choice(('metre', 'hour', 'mile', 'page', 'minute', 'seat', 'room', 'tonne', 'week'))}"
    return (Leaf(text, "JJ", text),)


def small(stream: Stream) -> Words:
    """A small number, spelt out."""
    return (number(stream.early(SMALL)),)


def count(stream: Stream) -> Words:
    """A middling number in figures."""
    return (number(str(stream.between(11, 400))),)


def length(stream: Stream) -> Words:
    """A distance or depth."""
    unit = stream.choice(("metres", "miles", "kilometres", "feet"))
    value = stream.early(SMALL) if stream.chance(0.5) else str(stream.between(12, 300))
    return number(value), noun(unit)


def duration(stream: Stream) -> Words:
    """A stretch of time."""
    return number(stream.early(SMALL)), noun(stream.early(("days", "years", "weeks", "months", "hours", "minutes", "decades")))


def weekday(stream: Stream) -> Words:
    """A day of the week."""
    return (Leaf(stream.choice(NAMES["weekday"]), "NNP", "weekday"),)


def month(stream: Stream) -> Words:
    """A month."""
    return (Leaf(stream.choice(NAMES["month"]), "NNP", "month"),)


def ordinal(stream: Stream) -> Words:
    """A rank, as an adjective."""
    word = stream.early(ORDINALS)
    return (Leaf(word, "JJ", word),)


FIGURES: dict[str, Callable[[Stream], Words]] = {
    "money": money,
    "percent": percent,
    "people": people,
    "score": score,
    "date": date,
    "year": year,
    "clock": clock,
    "age": age,
    "sized": sized,
    "yearold": yearold,
    "small": small,
    "count": count,
    "length": length,
    "duration": duration,
    "weekday": weekday,
    "month": month,
    "ordinal": ordinal,
}
