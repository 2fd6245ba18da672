"""The stand-in for `regex` on the pages of the site: the same matches and the same results as with the package."""

from __future__ import annotations

import doctest
import json
import os
import pickle
import random
import subprocess
import sys
import unicodedata
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import regex

from publish.live import regex_tables
from tests.publish import regex_components
from tokenlab.algorithms.text.pre_tokenizers import SPLITTERS
from tokenlab.storage import files

stand_in: Any = regex_components.load()
COMPONENTS = Path(regex_components.__file__)

CHANGED = {0x295, 0x1171E}  # characters that are in another category since Unicode 14
EVERYTHING = "".join(map(chr, range(0x110000)))


@cache
def newer() -> frozenset[int]:
    """The characters whose category is another one in `regex`."""
    assigned = (code for match in regex.finditer(r"\P{Cn}+", EVERYTHING) for code in range(*match.span()))
    return frozenset(code for code in assigned if unicodedata.category(chr(code)) == "Cn") | CHANGED


def known(text: str) -> str:
    """A text without the characters whose category is another one in `regex`."""
    return text.translate(dict.fromkeys(newer()))


@cache
def characters() -> str:
    """The characters with equal categories, but few ideographs and syllables, which are all alike; and some others."""
    alike = ((0x3500, 0x4DB0), (0x4F00, 0x9FF0), (0xAD00, 0xD780), (0xE100, 0xF800), (0x17100, 0x187E0))
    kept = (chr(code) for code in range(0x20010) if not any(start <= code < end for start, end in alike))
    return known("".join([*kept, *map(chr, range(0xE0000, 0xE0200)), "\U00031340\U000ffffd\U000ffffe\U0010ffff"]))


def runs(engine: Any, pattern: str, text: str) -> list[tuple[int, int]]:
    """Where characters in a text match a pattern for one character."""
    return [match.span() for match in engine.finditer(f"{pattern}+", text)]


def spans(match: Any) -> Any:
    return match and [match.span(group) for group in range(match.re.groups + 1)] + [match.lastgroup, match.lastindex]


def outcomes(engine: Any, pattern: str, flags: int, text: str) -> list[Any]:
    """What the methods of a pattern return for a text."""
    one = engine.compile(pattern, flags)
    assert one.pattern == pattern
    at = (0, 1, len(text) // 2, len(text))
    return [
        [one.groups, dict(one.groupindex), [spans(match) for match in one.finditer(text)]],
        [one.findall(text), one.findall(text, pos=1), one.split(text), one.split(text, maxsplit=2)],
        [one.sub("<>", text), one.sub(lambda match: match[0] * 2, text, 2), one.subn("", text)],
        [spans(method(text, pos=place)) for method in (one.match, one.fullmatch, one.search) for place in at],
    ]


@cache
def random_texts(number: int) -> list[str]:
    """Texts of random characters: common ones, others of the kinds that patterns distinguish, and any others."""
    draw = random.Random(7)
    common = "aZs 's'll\n\r\n  \t01,.!é̃漢あ\u3000👍🏽\u200d𝟘𐐀क्ष\x1c\xa0\x85ſKʕ"
    mixed = [lambda: draw.choice(common), lambda: draw.choice(characters())]
    return [known("".join(draw.choice(mixed)() for _ in range(draw.randrange(80)))) for _ in range(number)]


@cache
def run(engine: str, *names: str) -> Any:
    """The parts of the kit, run in a process with the package or its stand-in."""
    root = COMPONENTS.parents[2]
    environment = {**os.environ, "PYTHONPATH": str(root), "PYTHONHASHSEED": "0", "PYTHONIOENCODING": "utf-8"}
    command = [sys.executable, str(COMPONENTS), engine, *names]
    done = subprocess.run(command, env=environment, capture_output=True, encoding="utf-8", check=False)
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert (str(regex_components.STAND_IN) in found["file"]) == (engine == "stand-in")
    return found


def test_examples() -> None:
    for name in ("", ".flags", ".sets", ".translator"):
        results = doctest.testmod(sys.modules[stand_in.__name__ + name])
        assert not results.failed
    assert doctest.testmod(regex_tables).failed == 0


CATEGORIES = """
Lu Ll Lt Lm Lo Mn Mc Me Nd Nl No Pc Pd Ps Pe Pi Pf Po Sm Sc Sk So Zs Zl Zp Cc Cf Cs Co Cn L M N P S Z C LC
"""


def test_every_category_has_the_same_characters() -> None:
    for name in CATEGORIES.split():
        assert runs(stand_in, rf"\p{{{name}}}", characters()) == runs(regex, rf"\p{{{name}}}", characters()), name


@pytest.mark.slow
def test_every_category_has_the_same_characters_in_all_planes() -> None:
    text = known(EVERYTHING)
    for name in CATEGORIES.split():
        assert runs(stand_in, rf"\p{{{name}}}", text) == runs(regex, rf"\p{{{name}}}", text), name


def test_newer_characters_are_unassigned() -> None:
    text = "".join(map(chr, sorted(newer() - CHANGED)))
    assert len(text) > 100
    assert stand_in.fullmatch(r"\p{Cn}+", text) and not stand_in.search(r"[\p{L}\p{N}\p{P}\p{S}]", text)


CLASSES = [
    *(r"\s", r"\S", r"\d", r"\D", r"\w", r"\W", r"\pL", r"\PN", r"\p{^Lu}", r"\P{^Lu}", r"\p{gc=Letter}", r"\p{Mark}"),
    *(
        r"\p{Script=Greek}",
        r"\p{sc=Hira}",
        r"\p{han}",
        r"\P{Script:Latin}",
        r"\p{GCB=LV}",
        r"\p{GCB=LVT}",
        r"\p{GCB=T}",
    ),
    *(r"\p{GCB=Extend}", r"\p{ExtPict}", r"\p{InCB=Linker}", r"\p{Grapheme_Extend}", r"\p{Grapheme_Extend=No}"),
    *(r"\p{Alphabetic}", r"\p{White_Space}", r"\p{Any}", r"\p{ASCII}", r"\p{Graph}", r"\p{Print}", r"\p{Blank}"),
    *(
        r"[^\s\p{L}\p{N}]",
        r"[\r\n\d-]",
        r"[\w.\-\]]",
        r"[^\W\d_]",
        "[]a]",
    ),
    *(r"(?V1)[\p{L}--[a-z\p{Lu}]]", r"(?V1)[^\w--\p{L}]", r"(?V1)[\w&&\p{L}--[aeiou]]", r"(?V1)[a-z||\d&&[0-5]]"),
    *(
        r"(?V1)[\w~~\p{Script=Greek}]",
        r"(?V1)[a-z--[b-d]--x]",
        r"(?V1)[a-z--b&&b-d]",
        r"(?V1)[a-c||b-d&&c-e]",
        r"(?V1)[[^\w][a-f]]",
        "(?V1)[a-z-[aeiou]]",
        "[a||b&&c]",
    ),
    *(
        r"[\x41-\u00e9\U0001F600-\U0001F64F\b\0\012\n]",
        r"[[a]",
        r"[+--]",
        r"[\^\\\]\[-]",
        r"(?s).",
        ".",
        r"(?i)[k-t\d]",
        r"(?i)ß",
    ),
    *(r"(?i)[^sK]", r"(?i)İ", r"(?i)[ǆΣ]", r"(?iV1)[a-z]", r"(?i:\s)", "(?x) [ #] # a comment\n", r"\N{DIGIT ONE}"),
]


@pytest.mark.slow
@pytest.mark.cases(len(CLASSES))
@pytest.mark.parametrize("pattern", CLASSES)
def test_a_class_has_the_same_characters(pattern: str) -> None:
    assert runs(stand_in, pattern, characters()) == runs(regex, pattern, characters())


@pytest.mark.slow
@pytest.mark.parametrize("pattern", CLASSES)
def test_a_class_has_the_same_characters_in_all_planes(pattern: str) -> None:
    assert runs(stand_in, pattern, known(EVERYTHING)) == runs(regex, pattern, known(EVERYTHING))


@pytest.mark.cases(2)
@pytest.mark.parametrize("name", ["Lowercase", "Uppercase"])
def test_case_is_that_of_python(name: str) -> None:
    # Without letters that are lowercase since Unicode 15.
    text = characters().translate(dict.fromkeys([0x10FC, 0xA7F2, 0xA7F3, 0xA7F4, 0xAB69]))
    assert runs(stand_in, rf"\p{{{name}}}", text) == runs(regex, rf"\p{{{name}}}", text)


def test_without_regard_to_case_each_letter_matches_the_same_characters() -> None:
    cased = "".join(one for one in characters() if one.casefold() != one or one.upper() != one)
    for one in cased[::9] + cased[:100] + "iIİıſKßẞǆΐΰﬅﬆ":
        assert runs(stand_in, f"(?i){one}", cased) == runs(regex, f"(?i){one}", cased), one


SYNTAX = [
    *(
        r"'(?i:[sdmt]|ll|ve|re)",
        r"\ba|e\b|\B.\B",
        r"(?<first>a)(?:b)?(?P<then>c)?",
        r"(a)?(?(1)b|c)",
        r"(.)\1|(?P<x>a)(?P=x)",
    ),
    *(
        r"(?>a+)b|a{2}|\d{1,3}+|x{,2}y",
        r"(?=a)a(?!b)|(?<=\s)e(?<!a)",
        r"(?m)^.|.$",
        r"(?s:.)\n",
        r"^|$",
        "",
        r"\A.|.\Z",
    ),
    *(
        r"(?x) a\ b | \# [ ] # comment",
        r"\p{Script=Adlam}*a|\p{Script=Adlam}+|(?<=\p{Script=Adlam})x",
        r"(?#comment)a",
        r"(?V1)(?i:[a-c])x?",
        r"a*?|b+?|c??",
        r"\s*[\r\n]|\s+(?!\S)|\s+",
        r"(|a)",
    ),
    *(
        r"[^\r\n\p{L}\p{N}]?+\p{L}++",
        r"(?-i:a)|(?i-m:b)",
        r"\t|\\|\.|\x0a|\u00e9|\U0001f469",
        r"é|👩\u200d🚀",
        r"\g<0>|(a)\g<1>"[6:],
    ),
]


@pytest.mark.slow
@pytest.mark.cases(len(SYNTAX))
@pytest.mark.parametrize("pattern", SYNTAX)
def test_a_pattern_has_the_same_matches(pattern: str) -> None:
    for text in map(known, [*regex_components.TEXTS, "abc aa bb a b # \ud800a\udfff\n", *random_texts(20)]):
        if len(text) < 1000:
            assert outcomes(stand_in, pattern, 0, text) == outcomes(regex, pattern, 0, text), text


@pytest.mark.cases(len(SPLITTERS))
@pytest.mark.parametrize("name", SPLITTERS)
def test_the_patterns_of_gpt_models_split_random_texts_equally(name: str) -> None:
    pattern = SPLITTERS[name].pattern
    for text in ["\ud800 a\udfff\ud83d", *random_texts(100)]:
        found = [match.span() for match in stand_in.finditer(pattern, text)]
        assert found == [match.span() for match in regex.finditer(pattern, text)], text


@pytest.mark.slow
@pytest.mark.parametrize("name", [part.__name__ for part in regex_components.QUICK])
@pytest.mark.cases(len(regex_components.QUICK))
def test_parts_of_the_kit_return_the_same(name: str) -> None:
    names = [part.__name__ for part in regex_components.QUICK]
    ours, theirs = run("stand-in", *names)["results"][name], run("package", *names)["results"][name]
    assert len(ours) > 5 and ours == theirs


@pytest.mark.slow
@pytest.mark.parametrize("name", [part.__name__ for part in regex_components.SLOW])
def test_larger_parts_of_the_kit_return_the_same(name: str) -> None:
    ours, theirs = run("stand-in", name)["results"][name], run("package", name)["results"][name]
    assert ours and ours == theirs


def check_patterns(patterns: list[tuple[str, int]], texts: list[str]) -> None:
    for pattern, flags in patterns:
        try:
            one = stand_in.compile(pattern, flags)
        except stand_in.error:
            with pytest.raises((regex.error, OverflowError)):  # the kit asks which properties there are
                regex.compile(pattern, flags)
            continue
        several = len({*one.numbers}) < len(one.numbers)
        for text in map(known, texts):
            if several or pattern.startswith(r"\G"):
                ours, theirs = stand_in.search(pattern, text), regex.compile(pattern, flags).search(text)
                names = one.groupindex
                assert (ours and [ours.span(), *(ours[name] for name in names)]) == (
                    theirs and [theirs.span(), *(theirs[name] for name in names)]
                ) or pattern.startswith(r"\G")
            else:
                assert outcomes(stand_in, pattern, flags, text) == outcomes(regex, pattern, flags, text), (
                    pattern,
                    text,
                )


@pytest.mark.slow
def test_every_pattern_that_the_kit_compiles_has_the_same_matches() -> None:
    names = [part.__name__ for part in regex_components.QUICK]
    patterns = run("package", *names)["patterns"]
    assert len(patterns) > 60
    check_patterns(patterns, [text for text in regex_components.TEXTS if len(text) < 1000][::2])


@pytest.mark.slow
@pytest.mark.parametrize("name", [part.__name__ for part in regex_components.QUICK + regex_components.SLOW])
def test_every_pattern_has_the_same_matches_in_more_texts(name: str) -> None:
    patterns = run("package", name)["patterns"]
    check_patterns(patterns, [*regex_components.TEXTS, "\ud800a\udfff \ud83d", *random_texts(60)])


def test_two_groups_of_one_name_are_one_group() -> None:
    pattern = r"<(?P<to>\w+)>|'(?P<to>\w+)'(x)?"
    for text in ("<a>", "'b'x", "'b'", "c"):
        ours, theirs = stand_in.match(pattern, text), regex.match(pattern, text)
        assert bool(ours) == bool(theirs)
        if theirs:
            assert [ours["to"], ours[0], ours.group(1), ours[2], ours.start("to"), ours.end()] == [
                *(theirs["to"], theirs[0], theirs.group(1), theirs[2], theirs.start("to"), theirs.end())
            ]
    with pytest.raises(stand_in.error, match="two groups of one name"):
        stand_in.findall(pattern, "<a>")


def test_matches_continue_where_the_one_before_ends() -> None:
    for pos in range(4):
        assert stand_in.findall(r"\G\d", "12a3", pos=pos) == regex.findall(r"\G\d", "12a3", pos=pos)
        assert bool(stand_in.search(r"\Ga", "12a3", pos=pos)) == bool(regex.search(r"\Ga", "12a3", pos=pos))


REFUSED = {
    r"\p{Block=Arrows}": "property",
    r"[\p{Nonsense}]": "property",
    r"\X": r"escape \\X",
    r"a\K": r"escape \\K",
    r"\R": r"escape \\R",
    r"\m": r"escape \\m",
    r"\h": r"escape \\h",
    r"\L<names>": r"escape \\L",
    r"(?:foo){e<=1}": "quantifier",
    r"(?|a|b)": r"group \(\?\|",
    r"(?R)": r"group \(\?R",
    r"(?P<a>x)(?&a)": r"group \(\?&",
    r"(?<=a+)b": "look-behind",
    r"a(?i)b": "start of a pattern",
    r"(?i)\p{Lu}": "property with IGNORECASE",
    r"(?i)\w": "property with IGNORECASE",
    r"(?i)[\p{L}a]": "property with IGNORECASE",
    r"(?i)(a)\1": "back reference",
    r"(?iV1)ss": "version 1",
    r"(?iV1)[ß]": "version 1",
    r"\Ga|b": "alternatives",
    "[[:punct:]]": "class",
    "(?w)a": "group",
    r"(?V1)a(?V0:b)": "version",
    r"(a)(?P<n>b)(?P<n>c)(?P=n)": "exactly one group",
}


@pytest.mark.cases(len(REFUSED))
@pytest.mark.parametrize("pattern", REFUSED)
def test_what_is_not_supported_is_refused_by_name(pattern: str) -> None:
    with pytest.raises(stand_in.error, match=REFUSED[pattern]):
        stand_in.compile(pattern)


@pytest.mark.cases(20)
@pytest.mark.parametrize(
    "pattern", ["(", ")", "[a", "a**", "*a", "[z-a]", "(?P<1>a)", r"\2(a)", "(?P<a", "[a--]", "\\"]
)
def test_an_invalid_pattern_is_an_error_in_both(pattern: str) -> None:
    for engine in (regex, stand_in):
        with pytest.raises(engine.error):
            engine.compile("(?V1)" + pattern)


def test_flags_of_other_kinds_and_bytes_are_refused() -> None:
    for pattern, flags in ((b"a", 0), ("a", regex.BESTMATCH), ("a", regex.ASCII)):
        with pytest.raises(stand_in.error, match="not supported"):
            stand_in.compile(pattern, flags)


def test_escape() -> None:
    for text in ("", characters()[:0x3100], "<|a b|>", "a-b_c#d~e&f"):
        assert stand_in.escape(text) == regex.escape(text)
        assert stand_in.escape(text, literal_spaces=True) == regex.escape(text, literal_spaces=True)
        assert stand_in.escape(text, special_only=False) == regex.escape(text, special_only=False)
        assert stand_in.fullmatch(stand_in.escape(text), text)


def test_a_pattern_is_compiled_once_and_can_be_pickled() -> None:
    one = stand_in.compile(r"\p{L}+")
    assert stand_in.compile(r"\p{L}+") is one and stand_in.compile(one) is one
    assert pickle.loads(pickle.dumps(one)).findall("a1é") == ["a", "é"]


@pytest.mark.slow
def test_the_tables_are_those_of_the_package() -> None:
    assert files.read_text(regex_tables.TABLES) == regex_tables.tables()
