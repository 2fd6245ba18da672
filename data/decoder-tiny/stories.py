"""Short stories, and a checker that says of any text whether the stories' grammar can say it and whether it holds.

A plot is a list of events: somebody loses a ring, somebody else finds it. An event has conditions and effects on a
small world (who is where, who has what, what is broken), and templates: the sentences that tell it. One table of them,
in `words.py`, serves both directions. `story` fills the templates with words. `grammatical` compiles each template into
a regular expression, which finds the event in a sentence again, and `consistent` replays the events on an empty world.

`python stories.py 3` prints three stories; `--check FILE` prints the verdicts on stories with blank lines between.
"""

from __future__ import annotations

import re
import runpy
import sys
from collections.abc import Container, Iterator, Sequence
from functools import cache, lru_cache
from itertools import product
from pathlib import Path
from random import Random
from typing import NamedTuple, TypeVar

WORDS = runpy.run_path(str(Path(__file__).with_name("words.py")))

Item = TypeVar("Item")

# ---- Words ----

ROWS = [row.partition("|") for row in WORDS["NAMES"].strip().split("\n")]
NAMES: dict[str, list[str]] = {kind.strip(): names.strip().split(", ") for kind, _, names in ROWS}
GENDER = {name: kind[-1] for kind, names in NAMES.items() for name in names}
PRONOUNS = {"he": "m", "him": "m", "his": "m", "himself": "m", "boy": "m", "man": "m"}
PRONOUNS |= {"she": "f", "her": "f", "herself": "f", "girl": "f", "woman": "f"}
FORMS = {"": "he she", "him": "him her", "his": "his her", "himself": "himself herself", "girl": "boy girl"}
FORMS["woman"] = "man woman"


class Thing(NamedTuple):
    """A thing or an animal: its kinds ("toy", "food") and the adjectives that suit it."""

    kinds: frozenset[str]
    adjectives: tuple[str, ...]


class Place(NamedTuple):
    """A place: its kinds, how to say that somebody is there or goes there, its spots and what is to be seen."""

    kinds: frozenset[str]
    at: str
    to: str
    spots: tuple[str, ...]
    details: tuple[str, ...]


def _things() -> dict[str, Thing]:
    rows = [[part.split() for part in line.split("|")] for line in WORDS["THINGS"].strip().splitlines()]
    return {noun: Thing(frozenset(kinds), tuple(adjectives)) for kinds, adjectives, nouns in rows for noun in nouns}


def _places() -> dict[str, Place]:
    places = {}
    for block in WORDS["PLACES"].strip().split("\n\n"):
        head, spots, details = block.split("\n")
        noun, at, *kinds = head.split()
        known = Place(frozenset(kinds), f"{at} the {noun}", f"to the {noun}", *map(_listed, (spots, details)))
        places[noun] = known._replace(at="at home", to="home") if noun == "home" else known
    return places


def _listed(line: str) -> tuple[str, ...]:
    return tuple(part.strip() for part in line.split(";"))


THINGS, PLACES = _things(), _places()
ADJECTIVES = {adjective for thing in THINGS.values() for adjective in thing.adjectives}
AT, TO = ({getattr(place, way): noun for noun, place in PLACES.items()} for way in ("at", "to"))
SPOTS = {
    spot: {noun for noun in PLACES if spot in PLACES[noun].spots} for place in PLACES.values() for spot in place.spots
}
DETAILS = {d: {noun} for noun, place in PLACES.items() for d in place.details}
KINDS = {noun: known.kinds for noun, known in (THINGS | PLACES).items()}
WHERE = SPOTS | DETAILS  # the places that have a spot or a detail
OPENERS: tuple[str, ...] = _listed(WORDS["OPENERS"])


def drawn(items: Sequence[Item], random: Random) -> Item:
    """Return one of the items; those at the front are drawn more often, as some words of any language are.

    >>> random = Random(0)
    >>> "".join(drawn("abcd", random) for _ in range(20))
    'cbaaaabaaacaabaaddcc'
    """
    return items[int(len(items) * random.random() ** 3)]


def with_article(words: str) -> str:
    """Return the words after "a" or "an".

    >>> with_article("old key"), with_article("red kite")
    ('an old key', 'a red kite')
    """
    return f"{'an' if words[0] in 'aeiou' else 'a'} {words}"


# ---- Events and their templates ----

NAME = "[A-Z][a-z]+(?: [A-Z][a-z]+)?"
NOUN = f"(?:(?:{'|'.join(sorted(ADJECTIVES))}) )?(?:{'|'.join(THINGS)})"


class Slot(NamedTuple):
    """A place in a template for a role: A to C are people, x to z things, p and q places, s a spot, d a detail."""

    role: str
    form: str

    def pattern(self) -> str:
        """Return a regular expression for all that may fill the slot, and more: `Mention.fits` decides."""
        if self.role in "ABC":
            if self.form == "name" or self.form in FORMS:
                name = {"": NAME + "|", "him": NAME + "|", "his": f"{NAME}'s|", "name": NAME}.get(self.form, "")
                return name + FORMS.get(self.form, "").replace(" ", "|")
            return f"{self.form} {NAME}|(?:he|she) {self.form}"
        if self.role in "xyz":
            the = f"(?:the|his|her|{NAME}'s) {NOUN}|it"
            return {"": the, "the": the[:-3], "a": f"an? {NOUN}", "bare": "[a-z]+"}.get(
                self.form, f"{self.form} {NOUN}"
            )
        return {"at": "[a-z]+(?: the [a-z]+)?", "to": "home|to the [a-z]+", "bare": "[a-z]+"}.get(
            self.form, "[A-Za-z' ,-]+?"
        )


Part = str | tuple[str, ...] | Slot


def _parts(template: str) -> tuple[Part, ...]:
    """Split a template: "{A} (ran|went)" has a slot, a text and a choice."""
    parts: list[Part] = []
    for part in filter(None, re.split(r"(\{.*?\}|\(.*?\))", template)):
        if part[0] == "{":
            parts.append(Slot(part[1], part[2:-1].strip()))
        else:
            parts.append(tuple(part[1:-1].split("|")) if part[0] == "(" else part)
    return tuple(parts)


class Mention(NamedTuple):
    """What fills a slot in a text: "her red kite"."""

    role: str
    form: str
    text: str

    def person(self) -> str:
        """Return the name, or the pronoun or noun that tells the gender."""
        said = self.form not in FORMS and self.form != "name"
        text = self.text.removeprefix(self.form + " ").removesuffix(" " + self.form) if said else self.text
        return text.removesuffix("'s")

    def thing(self) -> tuple[str, str, str]:
        """Return determiner, adjective and noun."""
        if self.text == "it" or self.form == "bare":
            return "it" if self.text == "it" else "", "", "" if self.text == "it" else self.text
        *rest, noun = self.text.split(" ")
        adjective = rest.pop() if rest[-1] in ADJECTIVES else ""
        return " ".join(rest), adjective, noun

    def fits(self) -> bool:
        """Return True if these are words of the right sort, with the right article."""
        if self.role in "ABC":
            who = self.person()
            return who in GENDER or who in PRONOUNS
        if self.role in "xyz":
            determiner, adjective, noun = self.thing()
            right = not determiner.startswith("a") or self.text == with_article(f"{adjective} {noun}".strip())
            owner = determiner[:-2] if determiner.endswith("'s") else ""
            known = (noun in THINGS or self.text == "it") and (not owner or owner in GENDER)
            return right and known and (not adjective or adjective in ADJECTIVES)
        places: dict[str, Container[str]] = {"at": AT, "to": TO, "bare": PLACES, "": WHERE}
        return self.text in places[self.form]


class Event(NamedTuple):
    """Something that happens: who must be there, what must hold, what holds then, and how it is told."""

    name: str
    joins: bool  # may follow "and"; a story has openers only before these, but any event may have one
    roles: str
    here: str  # the people who must be awake and in one place, and the things that must be left
    needs: tuple[str, ...]
    makes: tuple[str, ...]
    templates: tuple[tuple[Part, ...], ...]


def _without_slots_in_choices(template: str) -> list[str]:
    """Return a template for each way to take the choices that have slots.

    >>> _without_slots_in_choices("{A} (ran|shook {A his} head)")
    ['{A} ran', '{A} shook {A his} head']
    """
    choice = re.search(r"\([^)]*\{[^)]*\)", template)
    if not choice:
        return [template]
    ways = [template.replace(choice[0], way) for way in choice[0][1:-1].split("|")]
    return [one for way in ways for one in _without_slots_in_choices(way)]


def _event(block: str) -> Event:
    head, *templates = block.split("\n")
    signature, _, rules = head.partition(":")
    name, *roles = signature.split()
    needs, _, makes = rules.partition(">")
    here = "".join(role for role in roles if len(role) == 1)
    parts = tuple(_parts(one) for template in templates for one in _without_slots_in_choices(template))
    letters = "".join(role[0] for role in roles)
    return Event(name.rstrip("+"), name[-1] == "+", letters, here, tuple(needs.split()), tuple(makes.split()), parts)


EVENTS = {event.name: event for event in map(_event, WORDS["EVENTS"].strip().split("\n\n"))}


class Clause(NamedTuple):
    """An event, read in or written to a text."""

    event: Event
    mentions: tuple[Mention, ...]
    words: str

    def subject(self) -> str:
        """Return the subject of a clause that may be joined by "and" if the clause begins with it, or ""."""
        first = self.mentions[0] if self.event.joins and self.mentions else Mention("", "", "")
        return (
            first.text
            if first.role == self.event.roles[:1] and not first.form and self.words.startswith(first.text)
            else ""
        )

    def follows(self) -> bool:
        """Return True if an opener can stand before the clause."""
        named = self.mentions and self.mentions[0].form in ("", "his")
        return bool(named) and self.words.startswith(self.mentions[0].text)


@cache
def _patterns() -> list[tuple[Event, list[Slot], re.Pattern[str], str]]:
    """Return a regular expression for each template, with a word that is always in it."""
    patterns = []
    for event, template in ((one, template) for one in EVENTS.values() for template in one.templates):
        slots = [part for part in template if isinstance(part, Slot)]
        written = [f"({p.pattern()})" if isinstance(p, Slot) else re.escape(p) if isinstance(p, str)
                   else f"(?:{'|'.join(map(re.escape, p))})" for p in template]  # fmt: skip
        longest = max((part for part in template if isinstance(part, str)), key=len, default="")
        patterns.append((event, slots, re.compile("".join(written)), longest))
    return patterns


# ---- The world ----

World = dict[tuple[str, str], str]  # of a person, a thing or the story: an attribute and its value
WRONG: dict[str, str] = dict(row.split(" | ") for row in WORDS["WRONG"].strip().split("\n"))


def value(world: World, bound: dict[str, str], term: str) -> str:
    """Return what a term of a rule stands for: a role, a role's attribute, or a word."""
    owner, dot, attribute = term.partition(".")
    if dot:
        return world.get((bound.get(owner, owner), attribute), "")
    return bound.get(term, term)


def holds(world: World, bound: dict[str, str], rule: str) -> bool:
    """Return True if a condition holds: "x.holder=A", "x.broken", "!x.broken", "x:toy", "s@A.at"."""
    if ":" in rule:
        role, _, kind = rule.partition(":")
        noun = bound.get(role) or world.get(("story", role), "")
        return kind in KINDS.get(noun, ())
    if "@" in rule:
        return value(world, bound, rule[2:]) in WHERE[bound[rule[0]]]
    term, equal, right = rule.lstrip("!~").partition("=")
    left = value(world, bound, term)
    return (left == value(world, bound, right) if equal else bool(left)) != rule.startswith(("!", "~"))


def conditions(event: Event) -> Iterator[str]:
    """Yield all that must hold before the event: that people are awake and together, that nothing is eaten."""
    for role in event.here:
        if role in "ABC":
            yield from (f"{role}.at", f"!{role}.asleep")
            if role != event.here[0]:
                yield f"{role}.at={event.here[0]}.at"
        elif role in "xyz":
            yield f"!{role}.gone"
    yield from event.needs


def problems(world: World, event: Event, bound: dict[str, str]) -> list[str]:
    """Return what contradicts the event, in words; to tell something twice ("~") is no contradiction."""
    failed = [rule for rule in conditions(event) if rule[0] != "~" and not holds(world, bound, rule)]
    return list(dict.fromkeys(_words(rule, bound) for rule in failed))


def _words(rule: str, bound: dict[str, str]) -> str:
    owner, mark, rest = re.split(r"([.:@])", rule.lstrip("!"), maxsplit=1)
    attribute, _, right = rest.partition("=")
    who = bound.get(owner, "this place")
    kind = ("!" if rule[0] == "!" else "") + (attribute if mark == "." else mark)
    return WRONG[kind].format(who=f"the {who}" if who in KINDS else who, what=bound.get(right, rest))


def happen(world: World, event: Event, bound: dict[str, str]) -> None:
    """Change the world as the event does."""
    changes = [(rule, value(world, bound, rule.partition("=")[2] or "yes")) for rule in event.makes]
    for rule, new in changes:
        owner, _, attribute = rule.lstrip("!").partition("=")[0].partition(".")
        world[bound.get(owner, owner), attribute] = "" if rule.startswith("!") else new


def notice(world: World, clause: Clause, bound: dict[str, str]) -> None:
    """Keep who and what was named, for pronouns: "focus" of the story, by gender, and "it"."""
    people = list(dict.fromkeys(bound[m.role] for m in clause.mentions if m.role in "ABC"))
    for who in reversed(people):
        world["story", GENDER[who]] = who
        world[who, "named"] = "yes"
        world["story", "here"] = world.get((who, "at"), "")
    things = list(dict.fromkeys(bound[m.role] for m in clause.mentions if m.role in "xyz"))
    world["story", "recent"] = "/".join(people)
    world["story", "it"] = things[0] if len(things) == 1 else ""
    for m in clause.mentions:
        if m.role in "xyz":
            world[bound[m.role], "known"] = "yes"
            if m.form == "a":
                world[bound[m.role], "adjective"] = m.thing()[1]


# ---- From events to text ----


def told(world: World, event: Event, bound: dict[str, str], looks: dict[str, str], random: Random) -> Clause:
    """Return an event in words, with pronouns where it is clear who or what they refer to."""
    text, mentions = "", list[Mention]()
    for part in drawn(event.templates, random):
        if isinstance(part, Slot):
            word = _filled(part, world, bound, looks, [m.role for m in mentions], random)
            mentions.append(Mention(*part, word))
            text += word
        else:
            text += part if isinstance(part, str) else drawn(part, random)
    return Clause(event, tuple(mentions), text)


def _filled(
    slot: Slot, world: World, bound: dict[str, str], looks: dict[str, str], before: list[str], random: Random
) -> str:
    """Return the words for a slot: a name or a pronoun; a noun with an article or a possessive, or "it"."""
    role, form = slot
    it = bound[role]
    if role in "ABC":
        sex = GENDER[it]
        alike = sum(GENDER[bound[r]] == sex for r in bound if r in [*before, role] and r in "ABC") > 1
        clear = world.get(("story", sex)) == it and it in world["story", "recent"].split("/") and not alike
        short = role in before or (clear and random.random() < 0.85)
        if form == "name":
            return it
        if form in ("girl", "woman", "himself"):
            short = True
        if form in FORMS:
            choices = FORMS[form].split()
            return choices[PRONOUNS[choices[0]] != sex] if short else it + ("'s" if form == "his" else "")
        return f"{'he' if sex == 'm' else 'she'} {form}" if short else f"{form} {it}"
    if role in "xyz":
        described = f"{looks[it]} {it}"
        if form in ("a", "bare"):
            return with_article(described) if form == "a" else it
        if form == "" and role not in before and world.get(("story", "it")) == it and random.random() < 0.7:
            return "it"
        noun = described if random.random() < 0.05 else it
        owner = world.get((it, "owner"))
        mine = (
            form in ("", "the")
            and owner
            and [bound[r] for r in before if r in "ABC"] == [owner]
            and random.random() < 0.6
        )
        return f"{('his' if GENDER[owner] == 'm' else 'her') if mine and owner else form or 'the'} {noun}"
    return {"at": PLACES[it].at, "to": PLACES[it].to}.get(form, it) if it in PLACES else it


class Plot(NamedTuple):
    """A plot: its roles with what may fill them, and its steps, each with the events that may be taken."""

    name: str
    roles: tuple[tuple[str, str], ...]
    steps: tuple[str, ...]


def _plot(block: str) -> Plot:
    head, *lines = block.split("\n")
    name, _, cast = head.partition(":")
    roles = [(role, words.split()[-1]) for words in cast.split(",") for role in words.split()[:-1]]
    return Plot(name, tuple(roles), tuple(step.strip() for line in lines for step in line.split(";")))


PLOTS = tuple(map(_plot, WORDS["PLOTS"].strip().split("\n\n")))
SHORTEST, LONGEST = 60, 160  # words in a story


@cache
def domain(kind: str) -> tuple[str, ...]:
    """Return the names, things or places of a kind.

    >>> "kite" in domain("toy")
    True
    """
    if kind in ("child", "adult"):
        return tuple(name for pair in zip(NAMES[f"{kind} f"], NAMES[f"{kind} m"], strict=True) for name in pair)
    return tuple(noun for noun, thing in (THINGS | PLACES).items() if kind in thing.kinds)


def cast(plot: Plot, random: Random) -> dict[str, str]:
    """Return who or what fills each role; girls and boys alternate, so that a pronoun is clear."""
    bound: dict[str, str] = {}
    sex = ""  # of the person before
    for role, kind in plot.roles:
        if role in "st":
            choices: Sequence[str] = PLACES[bound.get(kind, "home")].spots
        else:
            choices = domain(kind)
        able = [word for word in choices if word not in bound.values() and GENDER.get(word, "other") != sex]
        bound[role] = drawn(able, random)
        sex = GENDER.get(bound[role], sex)
    return bound


def ended(words: str) -> str:
    """Return a sentence with its full stop, which stands before a quotation mark.

    >>> ended("Tom slept"), ended('Tom said, "I am here"'), ended("Who knows?")
    ('Tom slept.', 'Tom said, "I am here."', 'Who knows?')
    """
    if words[-1] in ".!?" or words[-2:] in ('!"', '?"'):
        return words
    return words[:-1] + '."' if words[-1] == '"' else words + "."


def unended(sentence: str) -> str:
    """Return a sentence without its full stop.

    >>> unended('Tom said, "I am here."')
    'Tom said, "I am here"'
    """
    return sentence[:-2] + '"' if sentence.endswith('."') else sentence.removesuffix(".")


def tell(plot: Plot, bound: dict[str, str], looks: dict[str, str], random: Random) -> str:
    """Return the plot in sentences, one way among many."""
    world: World = {("story", "recent"): ""}
    text: str = ""
    last: str | None = None  # the subject of the last sentence, "" if it has none, None if nothing may be joined to it
    for step in plot.steps:
        if step == "|":
            text, last = text + "\n", None
            continue
        if step[0] == "?" and random.random() < 0.45:
            continue
        link, _, ways = step.lstrip("? ").rpartition(">")
        able = [one for way in ways.split("/") for one in _possible(way, world, bound, random)]
        if not able and step[0] == "?":
            continue
        event, local = drawn(able, random)
        clause = told(world, event, local, looks, random)
        words, subject = clause.words, clause.subject()
        who = local[event.roles[0]] if subject else ""
        happen(world, event, local)
        notice(world, clause, local)
        if link and last is not None:
            text, last = ended(f"{text[:-1]}, {link.strip()} {words}"), None
        elif last and who == last and " and " not in text.split(". ")[-1] + words and random.random() < 0.6:
            text, last = ended(f"{text[:-1]} and {words.removeprefix(subject + ' ')}"), None
        else:
            if event.joins and clause.follows() and "\n" in text and text[-1] != "\n" and random.random() < 0.15:
                words = drawn(OPENERS, random) + " " + words
            text += (" " if text and text[-1] != "\n" else "") + ended(words[0].upper() + words[1:])
            last = None if words[-1] in '"!?' else who
    return text


def _possible(way: str, world: World, bound: dict[str, str], random: Random) -> list[tuple[Event, dict[str, str]]]:
    """Return an event with its roles if it can happen, or nothing; a spot or a detail not given is one of the place."""
    name, *given = way.split()
    event, here = EVENTS[name], world.get(("story", "here"), "")
    roles = dict(zip(event.roles, (bound[role] for role in given), strict=False))
    open_roles = event.roles[len(roles) :]
    of_place = {"s": PLACES[here].spots, "d": PLACES[here].details} if here else {"s": (), "d": ()}
    ways = [
        roles | dict(zip(open_roles, words, strict=True)) for words in product(*(of_place[role] for role in open_roles))
    ]
    able = [one for one in ways if all(holds(world, one, rule) for rule in conditions(event))]
    return [(event, drawn(able, random))] if able else []


def story(random: Random) -> str:
    """Return one story; paragraphs end with a newline.

    >>> story(Random(1)) == story(Random(1))
    True
    """
    plot = random.choice(PLOTS)
    bound = cast(plot, random)
    looks = {noun: drawn(THINGS[noun].adjectives, random) for noun in bound.values() if noun in THINGS}
    while True:
        text = tell(plot, bound, looks, random)
        told = sentences(text)
        if SHORTEST <= len(text.split()) <= LONGEST and len(told) == len(set(told)):
            return text


def lower_bound() -> int:
    """Return a number of stories that certainly differ: the casts of the plot that has the most.

    Each role's name, thing with its adjective, and place is in the text, and those of one sort in the order of the
    roles, so two casts give two texts. Spots, the choice of events and that of templates are not counted.
    """
    return max(map(casts, PLOTS))


def casts(plot: Plot) -> int:
    """Return in how many ways the roles of a plot can be filled, without spots."""
    count, taken = 1, dict[str, int]()
    for role, kind in plot.roles:
        if role in "st":
            continue
        words, used = domain(kind), taken.get(kind, 0)
        if role in "BC":  # half of the names are of the other gender
            words, used = words[: len(words) // 2], used // 2
        sizes = sorted(len(THINGS[word].adjectives) if role in "xyz" else 1 for word in words)
        count *= sum(sizes[: len(words) - used])
        taken[kind] = used + 1
    return count


# ---- From text to events ----


def sentences(text: str) -> list[str]:
    """Split a text after each full stop, question mark or exclamation mark that no quotation goes on behind.

    >>> sentences('"Why?" asked Tom. She ran. "Stop!" he cried.')
    ['"Why?" asked Tom.', 'She ran.', '"Stop!" he cried.']
    """
    found = re.findall(
        r'((?:"[^"]*"|[^".!?])*?(?:[.!?](?=\s|$)|(?<=[.!?]")(?=\s+[A-Z"]|\s*$))|.+$)\s*', text, re.DOTALL
    )
    return [sentence for sentence in found if sentence]


@lru_cache(1 << 16)
def clauses(words: str) -> tuple[Clause, ...]:
    """Return all events that a clause may tell, each with what fills the slots."""
    found = []
    for event, slots, pattern, longest in _patterns():
        match = longest in words and pattern.fullmatch(words)
        if match:
            mentions = tuple(Mention(*slot, text) for slot, text in zip(slots, match.groups(), strict=True))
            if all(mention.fits() for mention in mentions) and _agree(mentions):
                found.append(Clause(event, mentions, words))
    return tuple(found)


def _agree(mentions: tuple[Mention, ...]) -> bool:
    """Return True if all words for a role fit one another: one name, one gender, one noun; and roles differ."""
    meant: dict[str, set[str]] = {}
    for m in mentions:
        if m.role in "ABC":
            who = m.person()
            meant.setdefault(m.role, set()).add(who if who in GENDER else PRONOUNS[who])
        elif m.role in "xyz":
            meant.setdefault(m.role, set()).add(m.thing()[2])
        else:
            meant.setdefault(m.role, set()).add((AT | TO).get(m.text, m.text))
    names = [name for words in meant.values() for name in words if name in GENDER]
    nouns = [noun for role, words in meant.items() if role in "xyz" for noun in words - {""}]
    genders = {role: {GENDER.get(who, who) for who in meant[role]} for role in meant if role in "ABC"}
    one = all(len(words - {"f", "m", ""}) < 2 for words in meant.values()) and all(
        len(g) == 1 for g in genders.values()
    )
    return one and len(names) == len(set(names)) and len(nouns) == len(set(nouns))


@lru_cache(1 << 14)
def readings(sentence: str) -> tuple[tuple[Clause, ...], ...]:
    """Return all ways in which the grammar can say a sentence: each one or two clauses; none if it cannot."""
    words = unended(sentence)
    if not words or ended(words) != sentence or not (words[0].isupper() or words[0] == '"'):
        return ()
    first = re.match(NAME, words)
    if not first or first[0] not in GENDER:
        words = words[0].lower() + words[1:]
    opener = next((o for o in OPENERS if words.startswith(o + " ")), "")
    opened = words.removeprefix(opener + " ") if opener else ""
    return (*_joined(words), *(one for one in _joined(opened) if one[0].follows()))


def _joined(words: str) -> Iterator[tuple[Clause, ...]]:
    yield from ((clause,) for clause in clauses(words))
    for link in re.finditer(r", so |, but | and ", words):
        left, right = words[: link.start()], words[link.end() :]
        for one in clauses(left) if not right.startswith("but ") else ():
            if link[0] != " and ":
                yield from product([one], clauses(right))
            elif one.subject():
                others = clauses(f"{one.subject()} {right}")
                yield from ((one, two) for two in others if two.subject())


def grammatical(text: str) -> bool:
    """Return True if every sentence is one that the grammar can say.

    >>> grammatical("Mia found the ring under a bench."), grammatical("Mia found the ring under bench.")
    (True, False)
    """
    lines = [sentences(line) for line in text.strip().split("\n")]
    spaced = all(" ".join(line) == whole for line, whole in zip(lines, text.strip().split("\n"), strict=True))
    return spaced and all(lines) and all(readings(sentence) for line in lines for sentence in line)


def replay(world: World, clause: Clause) -> Iterator[tuple[World, list[str]]]:
    """Yield the possible worlds after the event of a clause, with the contradictions.

    A role that the template does not mention may be anybody who was named, or anything.
    """
    bound, wrong = dict[str, str](), list[str]()
    for m in sorted(clause.mentions, key=lambda m: m.role not in "ABC" or m.person() not in GENDER):  # names first
        if m.role not in bound or m.role in "xyz":
            word, trouble = _meant(world, m, bound)
            wrong += trouble
            bound[m.role] = word or bound.get(m.role, "")
    people = [bound[role] for role in bound if role in "ABC"]
    if len(set(people)) < len(people):
        wrong.append(f"{people[0]} is meant twice")
    missing = [role for role in dict.fromkeys(clause.event.roles) if not bound.get(role)]
    named, known = (
        [who for who, what in world if what == sort and who not in bound.values()] for sort in ("named", "known")
    )
    ways = list(product(*(named if role in "ABC" else known for role in missing)))
    if not ways:
        yield dict(world), [*wrong, "somebody or something is missing"]
    for way in ways:
        whole, new = bound | dict(zip(missing, way, strict=True)), dict(world)
        trouble = [*wrong, *problems(new, clause.event, whole)]
        happen(new, clause.event, whole)
        notice(new, clause, whole)
        yield new, trouble


def _meant(world: World, m: Mention, bound: dict[str, str]) -> tuple[str, list[str]]:
    """Return what a mention refers to, and what is wrong with it."""
    if m.role in "ABC":
        who = m.person()
        who = who if who in GENDER else world.get(("story", PRONOUNS[who]), "")
        return who, [] if who else [f'nobody is there whom "{m.text}" could mean']
    if m.role not in "xyz":
        return (AT | TO).get(m.text, m.text), []
    determiner, adjective, noun = m.thing()
    noun = noun or bound.get(m.role) or world.get(("story", "it"), "")
    if not noun:
        return "", ['nothing is there that "it" could mean']
    wrong, known, look = [], world.get((noun, "known")), world.get((noun, "adjective"))
    if bound.get(m.role, noun) != noun:
        wrong.append(f"{m.text} is not the {bound[m.role]}")
    if m.form == "a" and known:
        wrong.append(f"the {noun} was there before")
    if m.form != "a" and not known:
        wrong.append(f"nobody has spoken of the {noun}")
    if (m.form != "a" and adjective and adjective != look) or (
        m.form == "a" and adjective not in ("", *THINGS[noun].adjectives)
    ):
        wrong.append(f"the {noun} is not {adjective}")
    owner = world.get((noun, "owner"), "")
    named = determiner.removesuffix("'s")
    if determiner.lower() in ("my", "your"):
        speaker = bound.get(
            "AB"[determiner.lower() == "your"], owner
        )  # in the templates, A speaks to B of "my" and "your"
        if speaker != owner:
            wrong.append(f"the {noun} does not belong to {speaker}")
    elif (named in GENDER and named != owner) or (named in PRONOUNS and GENDER.get(owner) != PRONOUNS[named]):
        wrong.append(f'"{m.text}" belongs to {owner or "nobody"}')
    return noun, wrong


def consistent(text: str) -> list[str]:
    """Return the contradictions in a text, in words; sentences that the grammar cannot say are passed over.

    >>> consistent("Once upon a time, there was a girl named Mia. Mia found the ring under a bench.")[0]
    'Mia found the ring under a bench: nobody has spoken of the ring'
    """
    worlds: list[tuple[World, list[str]]] = [({}, [])]
    said: set[str] = set()
    for sentence in sentences(text):
        if sentence in said:
            worlds[0][1].append(f"{sentence} That was said before")
        said.add(sentence)
        worlds = _after(worlds, sentence)
    return worlds[0][1]


def _after(worlds: list[tuple[World, list[str]]], sentence: str) -> list[tuple[World, list[str]]]:
    """Return the possible worlds after a sentence, those with the fewest contradictions, at most 8."""
    later = []
    for world, wrong in worlds:
        for reading in readings(sentence) or ((),):
            now = [(world, wrong)]
            for clause in reading:
                now = [(new, [*before, *(f"{sentence[:-1]}: {words}" for words in trouble)])
                       for old, before in now for new, trouble in replay(old, clause)]  # fmt: skip
            later += now
    fewest = min(len(trouble) for _, trouble in later)
    kept: list[tuple[World, list[str]]] = []
    for one in later:
        if len(one[1]) == fewest and all(one[0] != other for other, _ in kept):
            kept.append(one)
    return kept[:8]


def main(arguments: list[str]) -> None:
    """Print stories, or the verdicts on those in a file."""
    if arguments[:1] == ["--check"]:
        for text in re.split(r"\n\s*\n", Path(arguments[1]).read_text(encoding="utf-8").strip()):
            wrong = [sentence for line in text.split("\n") for sentence in sentences(line) if not readings(sentence)]
            print(text, *(f"  not grammatical: {sentence}" for sentence in wrong), sep="\n")
            print(*(f"  contradiction: {words}" for words in consistent(text)), sep="\n", end="\n\n")
    else:
        random = Random(int(arguments[1]) if arguments[1:] else None)
        print("\n\n".join(story(random) for _ in range(int(arguments[0]) if arguments else 1)))


if __name__ == "__main__":
    main(sys.argv[1:])
