"""The stories of the tiny decoder: how many there are, that the checker accepts them all, and what it refuses."""

from __future__ import annotations

import doctest
import re
from collections.abc import Callable
from functools import cache
from hashlib import sha256
from pathlib import Path
from random import Random

import pytest

from tokenlab import data

s = data.stories()
Perturbation = Callable[[str, Random], str | None]


@cache
def stories(count: int) -> list[str]:
    return [s.story(Random(seed)) for seed in range(count)]


# ---- Perturbations: what makes a text ungrammatical, and what makes it contradict itself ----

VERBS = (
    "was", "were", "had", "went", "walked", "ran", "found", "gave", "took", "put", "saw", "felt", "lost", "looked",
    "met", "played", "broke", "opened", "bought", "handed", "told", "asked", "said", "cried", "hid", "held",
    "heard", "built", "thought", "hurried", "started", "began", "read", "thanked", "hugged",
)  # fmt: skip


# Pairs of events of which the second cannot come before the first, nor without it.
CAUSES = [
    ("lose", "find"), ("find", "giveback"), ("windtakes", "find"), ("lend", "giveback"), ("break", "showbroken"),
    ("breakother", "showother"), ("showbroken", "mend"), ("showother", "mend"), ("mend", "asnew"),
    ("break", "mendself"),
    ("buyother", "wrap"), ("wrap", "givebox"), ("givebox", "openbox"), ("openbox", "thanksgift"), ("saves", "buyother"),
    ("saves", "buy"), ("race", "wins"), ("ahead", "wins"), ("fall", "stops"), ("stops", "tie"), ("map", "mapsays"),
    ("mapsays", "digs"), ("digs", "locked"), ("locked", "treasure"), ("hide", "hint"), ("hide", "discover"),
    ("hint", "discover"), ("discover", "thanksgift"), ("opens", "invite"), ("rain", "opens"), ("rain", "sun"),
    ("invite", "thanks"), ("hello", "nameis"), ("playme", "nod"), ("hungry", "share"), ("share", "thanks"),
    ("wants", "refuse"), ("refuse", "sorry"), ("petstuck", "free"), ("free", "petcare"), ("fetch", "free"),
    ("birdhurt", "nurse"), ("nurse", "heals"), ("heals", "flies"), ("flies", "waves"), ("mix", "bake"),
    ("bake", "eatboth"),
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
    """Put "her" for "his", or the reverse, where a name in the sentence shows the gender."""
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
    ]
    sentence = random.choice(later)
    name = random.choice([n for n in here if n in sentence])
    new = random.choice([n for n in s.GENDER if n not in here and s.GENDER[n] == s.GENDER[name]])
    return text.replace(sentence, sentence.replace(name, new), 1)


SAME_FOR_BOTH = {"friend", "hugs", "ball", "birthday", "swap", "talk", "thinks", "praise", "both"}


def names_swapped(text: str, random: Random) -> str | None:
    """Let two people change places in a sentence that is not the same for both."""
    here = names(text)
    found = [
        t
        for t in lines(text)
        if len(here) > 1 and here[0] in t and here[1] in t and f"{here[0]} and {here[1]}" not in t
    ]
    found = [t for t in found if not events(t) & SAME_FOR_BOTH]
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
    """Let somebody go home before a sentence in which that person is with somebody else."""
    found = []
    for sentence in lines(text)[4:]:
        for clause in (clause for reading in s.readings(sentence) for clause in reading):
            together = len([role for role in clause.event.here if role in "ABC"]) > 1
            if together and clause.event.name not in ("homeboth", "both"):
                found += [
                    (sentence, m.text) for m in clause.mentions if m.text in s.GENDER and m.role in clause.event.here
                ]
    if not found or not re.search(" to the ", text):
        return None
    sentence, name = random.choice(found)
    return text.replace(sentence, f"{name} went home. {sentence}", 1)


def sleeper_talks(text: str, random: Random) -> str | None:
    """Let somebody who is asleep talk."""
    found = [sentence for sentence in lines(text) if "sleep" in events(sentence)]
    return text.replace(found[0], f'{found[0]} "I have an idea!" said {names(text)[0]}.') if found else None


def nouns(text: str) -> list[str]:
    return sorted((n for n in s.THINGS if re.search(rf"\b{n}\b", text)), key=text.index)


def eaten_thing_given(text: str, random: Random) -> str | None:
    """Let something that is eaten be given away."""
    found, here = [t for t in lines(text) if events(t) & {"share", "eatboth"}], names(text)
    eaten = [noun for noun in nouns(text) if s.THINGS[noun].kinds & {"food", "cake"}]
    return text.replace(found[0], f"{found[0]} {here[0]} gave the {eaten[0]} to {here[1]}.") if found else None


def lost_thing_used(text: str, random: Random) -> str | None:
    """Let somebody use what was lost or broken just before."""
    found = [t for t in lines(text) if events(t) & {"lose", "windtakes", "break", "breakother"}]
    if not found:
        return None
    noun = nouns(text)[0]
    use = f"played with the {noun}" if "toy" in s.THINGS[noun].kinds else f"gave the {noun} to {names(text)[-1]}"
    return text.replace(found[0], f"{found[0]} {names(text)[0]} {use}.")


INCONSISTENT = [
    sentences_swapped, cause_dropped, said_twice, unknown_name, names_swapped, other_thing, wrong_pronoun, went_home,
    sleeper_talks, eaten_thing_given, lost_thing_used,
]  # fmt: skip


def share_refused(perturb: Perturbation, count: int) -> tuple[int, int]:
    """Return how many perturbed stories the checker refuses, and how many there are."""
    refused = changed = 0
    for seed, text in enumerate(stories(count)):
        worse = perturb(text, Random(seed))
        if worse and worse != text:
            changed += 1
            refused += not s.grammatical(worse) if perturb in UNGRAMMATICAL else bool(s.consistent(worse))
    return refused, changed


# ---- What the generator writes ----


def test_there_are_more_than_20_million_stories() -> None:
    assert s.lower_bound() > 20_000_000


def test_casts_are_counted_without_repetition() -> None:
    swim = next(plot for plot in s.PLOTS if plot.name == "deep water")
    waters = [place for place in s.PLACES.values() if "water" in place.kinds]
    assert s.casts(swim) == 24 * 12 * len(waters)
    bird = next(plot for plot in s.PLOTS if plot.name == "a bird")
    outdoors = [place for place in s.PLACES.values() if "outdoor" in place.kinds]
    assert s.casts(bird) == 24 * 6 * 6 * len(outdoors)  # 6 birds, each with one of 6 adjectives


def test_girls_and_boys_alternate_so_that_pronouns_are_clear() -> None:
    for plot in s.PLOTS:
        for seed in range(30):
            bound = s.cast(plot, Random(seed))
            genders = [s.GENDER[bound[role]] for role, _ in plot.roles if role in "ABC"]
            assert all(one != other for one, other in zip(genders, genders[1:], strict=False)), (plot.name, bound)


def test_a_race_is_won_once_and_only_if_there_is_one() -> None:
    before = (
        "Once upon a time, there was a boy named Tom.\nHe went to the park. His friend Mia was there, too. "
        '"Let us race to the lake!" said Tom. Mia agreed at once, and off they went. '
        "Tom ran like the wind and was far ahead. "
    )
    won = "Tom won the race by a nose. "
    assert s.consistent(before + won) == []
    assert s.consistent(before + won + "Tom was there first and won.") == [
        "Tom was there first and won: there is no race"
    ]
    no_race = before.partition('"')[0] + won
    assert "there is no race" in s.consistent(no_race)[0]
    # Both are at the lake now.
    assert s.consistent(before + won + "A fisherman waited patiently.") == []


def test_every_role_is_in_the_text_so_other_casts_give_other_stories() -> None:
    plot = max(s.PLOTS, key=s.casts)
    for seed in range(200):
        random = Random(seed)
        bound = s.cast(plot, random)
        looks = {noun: random.choice(s.THINGS[noun].adjectives) for noun in bound.values() if noun in s.THINGS}
        text = s.tell(plot, bound, looks, random)
        assert all(word in text for word in bound.values())
        assert all(f"{look} {noun}" in text for noun, look in looks.items())
        people = [bound[role] for role, _ in plot.roles if role in "ABC"]
        assert people == sorted(people, key=text.index)


def test_there_are_twelve_plots_or_more_and_all_are_told() -> None:
    assert len({plot.name for plot in s.PLOTS}) == len(s.PLOTS) >= 12
    for plot in s.PLOTS:
        for seed in range(5):
            random = Random(seed)
            bound = s.cast(plot, random)
            looks = {noun: random.choice(s.THINGS[noun].adjectives) for noun in bound.values() if noun in s.THINGS}
            assert s.grammatical(s.tell(plot, bound, looks, random))


def test_every_event_is_in_some_plot() -> None:
    used = {
        way.split()[0]
        for plot in s.PLOTS
        for step in plot.steps
        for way in step.split(">")[-1].split("/")
        if step != "|"
    }
    assert {name.lstrip("?") for name in used} == set(s.EVENTS)


def test_a_seed_gives_the_same_story_on_every_machine() -> None:
    text = "\n\n".join(s.story(Random(seed)) for seed in range(50))
    assert sha256(text.encode()).hexdigest()[:16] == "34690b674472c44b"


def test_an_opener_stands_before_any_event_that_begins_with_somebody() -> None:
    told = "Finn and Anna played hide and seek until the sun went down."
    assert s.grammatical(told) and s.grammatical(f"Then {told}")
    assert not s.grammatical("Then then Finn and Anna played hide and seek until the sun went down.")
    assert not s.grammatical("Then suddenly it broke with a loud crack.")


def test_stories_have_60_to_160_words() -> None:
    assert all(60 <= len(text.split()) <= 160 for text in stories(300))
    assert len(set(stories(300))) == 300


def vocabulary(count: int) -> set[str]:
    return {word for text in stories(count) for word in re.findall(r"[a-z]+(?:[-'][a-z]+)*", text.lower())}


def test_words_without_nouns_for_names_are_lower_case_inside_a_sentence() -> None:
    days = {"Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday", "I"}
    known = days | {part for name in s.GENDER for part in name.split()}
    for text in stories(100):
        assert set(re.findall(r"(?<=[a-z] )[A-Z][a-z]*", text)) <= known


@pytest.mark.slow
def test_the_vocabulary_has_about_1500_words() -> None:
    assert 1200 <= len(vocabulary(20_000)) <= 1800


# ---- What the checker accepts ----


def accepts(count: int) -> None:
    for text in stories(count):
        assert s.grammatical(text), [t for t in lines(text) if not s.readings(t)]
        assert s.consistent(text) == []
        assert 60 <= len(text.split()) <= 160 and len(lines(text)) == len(set(lines(text)))


@pytest.mark.slow
def test_the_checker_accepts_what_the_generator_writes() -> None:
    accepts(300)


@pytest.mark.slow
def test_the_checker_accepts_5000_stories() -> None:
    accepts(5000)


MIA = "Once there was a kind girl whose name was Mia. She owned a red kite and took good care of it."
PARK = f"{MIA} One sunny day, she ran to the park. There she met her friend Tom."


@pytest.mark.cases(30)
@pytest.mark.parametrize(
    "text",
    [
        MIA,
        f"{PARK} Mia gave the kite to Tom as a present. Tom thanked Mia warmly. He was very happy.",
        f"{PARK} Mia dropped the kite, and it broke. Tom had an idea. Mia fetched glue and mended the kite.",
        f"{PARK} Suddenly Mia noticed that her kite was gone, so she started to cry.",
        f'{PARK} "May I borrow your kite, Mia?" asked Tom. "Yes, you may," she said and handed him the kite.',
    ],
)  # fmt: skip
def test_the_checker_accepts_what_a_person_writes_within_the_grammar(text: str) -> None:
    assert s.grammatical(text) and s.consistent(text) == []


# ---- What it refuses ----


@pytest.mark.cases(30)
@pytest.mark.parametrize(
    "sentence",
    [
        "Mia found ring under a bench.",
        "Mia found a ring under a bench.",  # what is found was lost, so it is "the ring"
        "Mia find the ring under a bench.",
        "Mia found the ring under bench.",
        "mia found the ring under a bench.",
        "Mia found the ring under a bench",
        "Mia found the ring under a bench and.",
        "Mia found the ring the ring under a bench.",
        "Mia owned an red kite and took good care of it.",
        "Mia owned a old ring and took good care of it.",
        "Mia owned a red kite and took good care of it and",
        "Mia was sad.  Tom was sad.",
        "Once there was  a kind girl whose name was Mia.",
        "Mia ate the kite, but but she was sad.",
        "Mia was sad, but but on the way, the kite fell out of her bag.",
        '"I am so sorry, said Mia.',
        '"I am so sorry", said Mia.',
        '"i am so sorry," said Mia.',
        "Mia was wet to the skin in no time in no time.",
        "Once there was a kind boy whose name was Mia.",
        "Tom was proud of all her work.",
        "The dog read a newspaper.",
        "Xyz was happy.",
        "",
    ],
)
def test_sentences_that_the_grammar_cannot_say(sentence: str) -> None:
    assert not s.grammatical(sentence)


@pytest.mark.cases(30)
@pytest.mark.parametrize(
    ("text", "contradiction"),
    [
        (f"{MIA} She read the kite page by page.", "the kite is no book"),
        (f"{PARK} Tom gave the kite to Mia.", "the kite is not where it would have to be"),
        (f"{PARK} Tom played with his kite.", '"his kite" belongs to Mia'),
        (f"{PARK} Mia gave the blue kite to Tom.", "the kite is not blue"),
        (f"{PARK} Mia gave the ring to Tom.", "nobody has spoken of the ring"),
        (f"{PARK} Mia gave the kite to Anna.", "Anna is somewhere else, or nobody said where"),
        (f"{PARK} Tom went home. Mia gave the kite to Tom.", "Tom is somewhere else, or nobody said where"),
        (f"{PARK} Mia dropped her kite, and it broke. Mia played with her kite.", "the kite is broken"),
        (f"{PARK} Suddenly Mia noticed that her kite was gone. Mia gave the kite to Tom.",
         "the kite is not where it would have to be"),
        (f"{PARK} A warm breeze was blowing. Mia was sad.", "Mia has no reason to feel like that"),
        (f"{PARK} Mia ran to the park.", "Mia is already there"),
        (f"{PARK} Mia played happily with her kite. Mia played happily with her kite.", "was said before"),
        (f"{PARK} Mia gave the kite to her.", "Mia is meant twice"),
        (f"{PARK} Mia gave Tom's kite to him.", "\"Tom's kite\" belongs to Mia"),
        (f"{PARK} Bees hummed around the flowers.", "there is no such thing at this place"),
        (f"{MIA} Once there was a quiet boy whose name was Tom.", "that was said before"),
        (f"{MIA} He was happy.", 'nobody is there whom "he" could mean'),
        (f"{PARK} Tom had a red kite with him.", "the kite was there before"),
        (f"{MIA} Mia found the kite under the bed.", "the kite is not where it would have to be"),
        (f"{MIA} It grew dark, and the stars came out. She walked to the park.", "it is night"),
    ],
)  # fmt: skip
def test_contradictions_are_said_in_words(text: str, contradiction: str) -> None:
    assert s.grammatical(text)
    assert any(contradiction in words for words in s.consistent(text)), s.consistent(text)


@pytest.mark.cases(30)
@pytest.mark.parametrize("perturb", UNGRAMMATICAL)
def test_ungrammatical_texts_are_refused(perturb: Perturbation) -> None:
    refused, changed = share_refused(perturb, 35)
    assert refused >= 0.95 * changed and changed > 5


@pytest.mark.slow
@pytest.mark.cases(30)
@pytest.mark.parametrize("perturb", INCONSISTENT)
def test_contradictory_texts_are_refused(perturb: Perturbation) -> None:
    refused, changed = share_refused(perturb, 100)
    assert refused >= 0.8 * changed and changed > 0


@pytest.mark.slow
def test_shares_refused_of_1000_stories() -> None:
    wrong = [share_refused(perturb, 1000) for perturb in UNGRAMMATICAL]
    assert sum(refused for refused, _ in wrong) >= 0.99 * sum(changed for _, changed in wrong)
    wrong = [share_refused(perturb, 1000) for perturb in INCONSISTENT]
    assert sum(refused for refused, _ in wrong) >= 0.95 * sum(changed for _, changed in wrong)


def test_each_condition_has_words_for_a_contradiction() -> None:
    for event in s.EVENTS.values():
        roles = dict.fromkeys(event.roles, "Mia")
        for rule in s.conditions(event):
            assert rule[0] == "~" or s._words(rule, roles)


def test_any_text_has_a_verdict() -> None:
    random = Random(0)
    for text in stories(60):
        words = text.split(" ")
        for _ in range(len(words) // 4):
            words[random.randrange(len(words))] = random.choice([*words, "", '"', ".", "it", "\n", "她"])
        s.grammatical(" ".join(words))
        assert isinstance(s.consistent(" ".join(words)), list)


# ---- Its parts ----


def test_examples_in_its_docstrings() -> None:
    assert doctest.testmod(s, optionflags=doctest.ELLIPSIS) == (0, 11)


def test_the_command_prints_stories_and_verdicts(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    s.main(["2", "7"])
    two = capsys.readouterr().out
    assert len(two.strip().split("\n\n")) == 2
    (tmp_path / "texts").write_text(
        f"{two}\n{MIA} She read the kite page by page. Mia dog.\n", encoding="utf-8", newline="\n"
    )
    s.main(["--check", str(tmp_path / "texts")])
    verdicts = [line for line in capsys.readouterr().out.split("\n") if line.startswith("  ")]
    assert verdicts == [
        "  not grammatical: Mia dog.",
        "  contradiction: She read the kite page by page: the kite is no book",
    ]
