"""The stories of the tiny decoder: how many there are, that the checker accepts them all, and what it refuses."""

from __future__ import annotations

import doctest
import re
import sys
from collections.abc import Callable, Iterator
from functools import cache
from hashlib import sha256
from importlib.util import module_from_spec, spec_from_file_location
from random import Random
from types import ModuleType

import pytest

from tokenlab import data


def load() -> ModuleType:
    spec = spec_from_file_location("tokenlab._stories", data.t5_tiny().parent / "decoder-tiny" / "stories.py")
    assert spec and spec.loader
    module = sys.modules[spec.name] = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


s = load()


@cache
def stories(count: int) -> list[str]:
    return [s.story(Random(seed)) for seed in range(count)]


# ---- Perturbations: what makes a text ungrammatical, and what makes it contradict itself ----

VERBS = (
    "was were had went walked ran found gave took put saw felt lost looked played broke opened bought handed returned"
    " told asked said cried hid held heard built thought hurried met had started began had read thanked hugged"
).split()

# Pairs of events of which the second cannot come before the first, nor without it.
CAUSES = [
    ("lose", "find"), ("find", "giveback"), ("windtakes", "find"), ("lend", "giveback"), ("break", "showbroken"),
    ("breakother", "showother"), ("showbroken", "mend"), ("showother", "mend"), ("mend", "asnew"), ("break", "mendself"),
    ("buyother", "wrap"), ("wrap", "givebox"), ("givebox", "openbox"), ("openbox", "thanksgift"), ("saves", "buyother"),
    ("saves", "buy"), ("race", "wins"), ("ahead", "wins"), ("fall", "stops"), ("stops", "tie"), ("map", "mapsays"),
    ("mapsays", "digs"), ("digs", "locked"), ("locked", "treasure"), ("hide", "hint"), ("hide", "discover"),
    ("hint", "discover"), ("discover", "thanksgift"), ("opens", "invite"), ("rain", "opens"), ("rain", "sun"),
    ("invite", "thanks"), ("hello", "nameis"), ("playme", "nod"), ("hungry", "share"), ("share", "thanks"),
    ("wants", "refuse"), ("refuse", "sorry"), ("petstuck", "free"), ("free", "petcare"), ("fetch", "free"),
    ("birdhurt", "nurse"), ("nurse", "heals"), ("heals", "flies"), ("flies", "waves"), ("mix", "bake"), ("bake", "eatboth"),
    ("bed", "sleep"), ("noise", "takes"), ("takes", "looks"), ("sleep", "dream"), ("seed", "water"), ("seed", "grows"),
    ("build", "collapse"), ("collapse", "again"), ("knock", "where"), ("where", "confess"), ("confess", "honest"),
    ("lostway", "guide"), ("appears", "guide"), ("afraidof", "courage"), ("courage", "jump"), ("buy", "reads"),
    ("owned", "plays"), ("owned", "lose"), ("alsohas", "swap"), ("friend", "race"), ("friend", "askwrong"),
]  # fmt: skip


def events(sentence: str) -> set[str]:
    return {clause.event.name for reading in s.readings(sentence) for clause in reading}


def lines(text: str) -> list[str]:
    return [sentence for line in text.split("\n") for sentence in s.sentences(line)]


def change_word(text: str, random: Random, choices: dict[str, str]) -> str | None:
    """Put another word for one of the text's words."""
    found = [m for m in re.finditer(r"[A-Za-z]+(?:-[a-z]+)*", text) if m[0] in choices]
    if not found:
        return None
    m = random.choice(found)
    return text[: m.start()] + choices[m[0]] + text[m.end() :]


def wrong_article(text: str, random: Random) -> str | None:
    return change_word(text, random, {"a": "an", "an": "a"})


def missing_verb(text: str, random: Random) -> str | None:
    words = change_word(text, random, dict.fromkeys(VERBS, ""))
    return words and re.sub(" +", " ", words)


def wrong_verb(text: str, random: Random) -> str | None:
    forms = {
        "was": "were",
        "had": "has",
        "went": "go",
        "found": "find",
        "gave": "gives",
        "said": "say",
        "took": "takes",
    }
    return change_word(
        text, random, forms | {"asked": "ask", "began": "begun", "ran": "runs", "felt": "feel", "were": "was"}
    )


def missing_article(text: str, random: Random) -> str | None:
    words = change_word(text, random, {"the": "", "a": "", "an": ""})
    return words and re.sub(" +", " ", words)


def repeated_fragment(text: str, random: Random) -> str | None:
    words = text.split(" ")
    at, length = random.randrange(len(words) - 4), random.randrange(1, 4)
    return " ".join(words[: at + length] + words[at:])


def two_words_swapped(text: str, random: Random) -> str | None:
    words = text.split(" ")
    at = random.choice([n for n in range(len(words) - 1) if words[n] != words[n + 1]])
    words[at : at + 2] = words[at + 1], words[at]
    return " ".join(words)


def no_capital(text: str, random: Random) -> str | None:
    at = random.choice([m.start() for m in re.finditer(r"(?<![a-z,] )[A-Z]", text)])
    return text[:at] + text[at].lower() + text[at + 1 :]


def no_full_stop(text: str, random: Random) -> str | None:
    at = random.choice([m.start() for m in re.finditer(r"\.", text)])
    return text[:at] + text[at + 1 :]


def no_quotation_mark(text: str, random: Random) -> str | None:
    marks = [m.start() for m in re.finditer('"', text)]
    at = random.choice(marks) if marks else 0
    return text[:at] + text[at + 1 :] if marks else None


def wrong_gender_in_a_sentence(text: str, random: Random) -> str | None:
    """Put "her" for "his", or the reverse, where a name in the same sentence and the same role is of the other gender."""
    other = {"his": "her", "her": "his"}
    found = []
    for sentence in lines(text):
        for reading in s.readings(sentence):
            for clause in reading:
                named = {m.role for m in clause.mentions if m.role in "ABC" and m.person() in s.GENDER}
                found += [(sentence, m.text) for m in clause.mentions if m.role in named and m.text in other]
    if not found:
        return None
    sentence, word = random.choice(found)
    return text.replace(sentence, re.sub(rf"\b{word}\b(?!.*\b{word}\b)", other[word], sentence, count=1))


UNGRAMMATICAL = [
    wrong_article, missing_verb, wrong_verb, missing_article, repeated_fragment, two_words_swapped, no_capital,
    no_full_stop, no_quotation_mark, wrong_gender_in_a_sentence,
]  # fmt: skip


def dependency(text: str, random: Random) -> tuple[str, str] | None:
    """Return two sentences of which the second cannot come before the first."""
    told = lines(text)
    at = {sentence: events(sentence) for sentence in told}
    pairs = [(one, two) for n, one in enumerate(told) for two in told[n + 1 :]
             if any(cause in at[one] and effect in at[two] for cause, effect in CAUSES)]  # fmt: skip
    return random.choice(pairs) if pairs else None


def sentences_swapped(text: str, random: Random) -> str | None:
    pair = dependency(text, random)
    return pair and text.replace(pair[0], "@").replace(pair[1], pair[0]).replace("@", pair[1])


def cause_dropped(text: str, random: Random) -> str | None:
    pair = dependency(text, random)
    return pair and re.sub("(?m) +$|^ +", "", text.replace(pair[0], "").replace("  ", " "))


def said_twice(text: str, random: Random) -> str | None:
    sentence = random.choice(lines(text)[:-1])
    return text.replace(sentence, f"{sentence} {sentence}")


def names(text: str) -> list[str]:
    return list(dict.fromkeys(re.findall("|".join(sorted(s.GENDER, key=len, reverse=True)), text)))


def unknown_name(text: str, random: Random) -> str | None:
    """Let somebody of the same gender do something who was never named."""
    here = names(text)
    later = [
        t
        for t in lines(text)[2:]
        if any(n in t for n in here) and not events(t) & {"friend", "stranger", "fetch", "appears", "visitor"}
    ]  # noqa: E501
    sentence = random.choice(later)
    name = random.choice([n for n in here if n in sentence])
    new = random.choice([n for n in s.GENDER if n not in here and s.GENDER[n] == s.GENDER[name]])
    return text.replace(sentence, sentence.replace(name, new), 1)


def names_swapped(text: str, random: Random) -> str | None:
    """Let two people change places in a sentence that is not the same for both."""
    here = names(text)
    found = [
        t
        for t in lines(text)
        if len(here) > 1 and here[0] in t and here[1] in t and f"{here[0]} and {here[1]}" not in t
    ]
    found = [t for t in found if not events(t) & {"friend", "hugs", "ball", "birthday", "swap", "talk"}]
    if not found:
        return None
    sentence = random.choice(found)
    new = sentence.replace(here[0], "@").replace(here[1], here[0]).replace("@", here[1])
    return text.replace(sentence, new, 1)


def other_thing(text: str, random: Random) -> str | None:
    """Put another thing of the same kind in one of the sentences that have one."""
    found = [(t, noun) for t in lines(text) for noun in s.THINGS if re.search(rf"\b{noun}\b", t)
             and len(re.findall(rf"\b{noun}\b", text)) > 1]  # fmt: skip
    if not found:
        return None
    sentence, noun = random.choice(found)
    starts = "aeiou" if noun[0] in "aeiou" else "bcdfghjklmnpqrstvwxyz"
    alike = [
        n for n in s.THINGS if s.THINGS[n].adjectives == s.THINGS[noun].adjectives and n[0] in starts and n not in text
    ]
    if not alike:
        return None
    new = random.choice(alike)
    return text.replace(sentence, re.sub(rf"\b{noun}\b", new, sentence), 1)


def wrong_pronoun(text: str, random: Random) -> str | None:
    return change_word(text, random, {"he": "she", "she": "he", "He": "She", "She": "He", "him": "her"})


def went_home(text: str, random: Random) -> str | None:
    """Let somebody go home before a sentence in which that person is where the others are."""
    found = [(t, m.person()) for n, t in enumerate(lines(text)) for reading in s.readings(t) for c in reading for m in c.mentions
             if n > 3 and m.role in c.event.here and m.role in "ABC" and m.person() in s.GENDER and len(c.event.here) > 1
             and c.event.name not in ("homeboth", "both")]  # fmt: skip
    if not found or not re.search(" to the ", text):
        return None
    sentence, name = random.choice(found)
    return text.replace(sentence, f"{name} went home. {sentence}", 1)


def fell_asleep(text: str, random: Random) -> str | None:
    """Let the one who speaks be asleep."""
    found = re.findall(r'[.!] ("[^"]*" (?:said|asked|cried) ([A-Z][a-z]+))\b', text)
    if not found:
        return None
    sentence, name = random.choice(found)
    return text.replace(
        sentence,
        f"Night fell. {name} went home. {name} lay into bed and closed {'his' if s.GENDER.get(name) == 'm' else 'her'} eyes. {sentence}",
        1,
    )  # noqa: E501


def eaten_thing_given(text: str, random: Random) -> str | None:
    """Let something that is eaten be given away."""
    found = [t for t in lines(text) if events(t) & {"share", "eatboth"}]
    nouns = [n for n in s.THINGS if re.search(rf"\b{n}\b", text) and s.THINGS[n].kinds & {"food", "cake"}]
    here = names(text)
    return (
        text.replace(found[0], f"{found[0]} {here[0]} gave the {nouns[0]} to {here[1]}.")
        if found and nouns and here[1:]
        else None
    )


def lost_thing_used(text: str, random: Random) -> str | None:
    """Let somebody have what was lost or broken just before."""
    found = [t for t in lines(text) if events(t) & {"lose", "windtakes", "break", "breakother"}]
    nouns = [n for n in s.THINGS if re.search(rf"\b{n}\b", text)]
    if not nouns:
        return None
    what = "played with the {}" if "toy" in s.THINGS[nouns[0]].kinds else "gave the {} to " + names(text)[-1]
    here = names(text)
    return text.replace(found[0], f"{found[0]} {here[0]} {what.format(nouns[0])}.") if found and here[1:] else None


INCONSISTENT = [
    sentences_swapped, cause_dropped, said_twice, unknown_name, names_swapped, other_thing, wrong_pronoun, went_home,
    eaten_thing_given, lost_thing_used,
]  # fmt: skip
