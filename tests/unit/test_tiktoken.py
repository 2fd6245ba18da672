"""`tokenlab.libraries.tiktoken` by itself: steps, the cache, the sentences of errors, files that are damaged."""

from __future__ import annotations

import base64
import gc
import hashlib
import inspect
import json
import pickle
import subprocess
import sys
import weakref
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any
from urllib.error import URLError

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tests.examples import examples
from tests.strategies import SNIPPETS, texts
from tokenlab import data
from tokenlab.algorithms.bpe.encode import PairMerged, encode_by_rank
from tokenlab.algorithms.bpe.encode_parts import encode_with_parts
from tokenlab.algorithms.bpe.encode_priority_queue import encode_with_priority_queue
from tokenlab.algorithms.bpe.train_indexed import train_indexed
from tokenlab.algorithms.text.byte_symbols import GPT2_ORDER, bytes_to_symbols
from tokenlab.algorithms.text.count_words import count_words
from tokenlab.algorithms.text.pretokenize import SPLITTERS, split_bert, split_cl100k, split_cl100k_0_7, split_o200k
from tokenlab.algorithms.text.word_cache import WordCache
from tokenlab.libraries import tiktoken
from tokenlab.libraries.tiktoken import load, registry
from tokenlab.libraries.tiktoken.core import Encoding
from tokenlab.libraries.tiktoken.encode_steps import PieceEncoded, PreTokenSplit, SpecialTokenFound, WholePieceFound
from tokenlab.libraries.tiktoken.pieces import byte_pair_merge
from tokenlab.steps.recording import Recording
from tokenlab.steps.traced_method import traced_method

BYTES = {bytes([byte]): byte for byte in range(256)}
SPECIAL = {"<|endoftext|>": 900, "[UNK]": 902, "日本語": 903}


def trained(split: str, size: int = 300) -> dict[bytes, int]:
    words = count_words(data.text("mixed") + "\n".join(SNIPPETS) * 5, split, "bytes")
    merges = train_indexed(words, 256 + size, "first_seen", initial_alphabet=list(BYTES))
    tokens = dict.fromkeys([*BYTES, *(left + right for left, right in merges)])  # type: ignore[operator]
    return {token: rank for rank, token in enumerate(tokens)}  # type: ignore[misc]


RANKS = {name: trained(name) for name in ("gpt2", "cl100k")}
ENCODINGS = [
    Encoding("r50k", pat_str=SPLITTERS["r50k"].pattern, mergeable_ranks=RANKS["gpt2"], special_tokens=SPECIAL),
    Encoding("cl100k", pat_str=split_cl100k.pattern, mergeable_ranks=RANKS["cl100k"], special_tokens=SPECIAL),
    Encoding("words", pat_str=r"(\w+)|\s+", mergeable_ranks=RANKS["gpt2"], special_tokens=SPECIAL),
]
encoding = ENCODINGS[1]

# --- splitting, rule by rule ----------------------------------------------------------------------


@pytest.mark.parametrize("splitter", SPLITTERS.values(), ids=repr)
@examples(80)
@given(text=texts())
def test_nothing_is_lost_and_each_piece_has_its_rule(splitter: Any, text: str) -> None:
    assert "".join(splitter(text)) == text
    explained = splitter.explain(text)
    assert [piece for piece, _ in explained] == splitter(text)
    assert {rule for _, rule in explained} <= set(splitter.rules)
    separators = [piece for piece, rule in explained if rule == splitter.separator]
    assert len(splitter.words(text)) == len(explained) - len(separators)


def test_the_two_cl100k_patterns_cut_blanks_at_the_end_differently() -> None:
    assert split_cl100k("hi\n ") == ["hi", "\n "]
    assert split_cl100k_0_7("hi\n ") == ["hi", "\n", " "]
    assert split_cl100k.explain("\n ") == [("\n ", "whitespace at the end")]


@pytest.mark.parametrize(
    ("splitter", "text", "rules"),
    [
        ("gpt2", "I'll 7!  \tx", ["letters", "contractions", "digits", "other symbols",
                                  "whitespace, except the last one", "whitespace", "letters"]),
        ("r50k", "a\tb  ", ["letters", "one whitespace", "letters", "whitespace at the end"]),
        ("cl100k", "I'LL 1234?!\n\n x \n y  z",
         ["letters, a symbol before them", "contractions", "one whitespace", "up to three digits", "up to three digits",
          "other symbols, line ends after them", "letters, a symbol before them", "whitespace up to a line end",
          "letters, a symbol before them", "whitespace, except the last one", "letters, a symbol before them"]),
        ("cl100k_0_7", "a ", ["letters, a symbol before them", "whitespace, except the last one"]),
        ("o200k", "CamelCASE//\n1234\n a", ["capitals, small letters", "capitals", "other symbols",
                                            "up to three digits", "up to three digits", "whitespace", "capitals"]),
        ("bert", "a_b $", ["word", "punctuation", "word", "whitespace", "punctuation"]),
        ("whitespace", " a", ["whitespace", "word"]),
    ],
)  # fmt: skip
def test_the_rule_that_cut_a_piece_is_named(splitter: str, text: str, rules: list[str]) -> None:
    named = [rule for _, rule in SPLITTERS[splitter].explain(text)]
    assert len(named) == len(rules) and all(map(str.startswith, named, rules)), named


def test_case_counts_in_gpt2s_contractions_only() -> None:
    assert SPLITTERS["gpt2"]("I'LL") == ["I", "'", "LL"]
    assert split_cl100k("I'LL") == ["I", "'LL"]
    assert split_o200k("I'LL") == ["I'LL"]


def test_an_accent_is_cut_from_its_letter_but_by_o200k() -> None:
    assert split_cl100k("e\u0301t") == ["e", "\u0301t"]
    assert split_o200k("e\u0301t") == ["e\u0301t"]


def test_bert_cuts_at_each_punctuation_character() -> None:
    assert split_bert.words("don't $5...\x1c「日」_") == ["don", "'", "t", "$", "5", *"...", "「", "日", "」", "_"]


def test_a_splitter_of_ones_own_may_have_groups() -> None:
    assert ENCODINGS[2].encode_ordinary("low lower") == [id for w in ("low", " ", "lower")
                                                         for id in ENCODINGS[2]._encode_single_piece(w)]  # fmt: skip


# --- merging --------------------------------------------------------------------------------------


@examples(300)
@given(st.binary(min_size=1, max_size=30) | st.lists(st.sampled_from(b"abc "), min_size=1, max_size=300).map(bytes),
       st.randoms())  # fmt: skip
def test_merging_unwatched_gives_what_each_encoder_gives(piece: bytes, random: Any) -> None:
    tokens = [piece[i : i + n] for n in range(2, 7) for i in range(len(piece) - n + 1)]
    chosen = random.sample(sorted(set(tokens)), k=len(set(tokens)) // 2)
    ranks = BYTES | {token: rank for rank, token in enumerate(chosen, start=256)}
    ids = byte_pair_merge(piece, ranks)
    for encode in (encode_with_parts, encode_with_priority_queue, *([encode_by_rank] if len(piece) < 40 else [])):
        assert [ranks[token] for token in encode(piece, ranks)] == ids  # type: ignore[operator]


def test_a_megabyte_without_a_blank_ends() -> None:
    letters = "".join(filter(str.isalpha, data.text("english")))
    long = (letters * (300_000 // len(letters) + 1))[:300_000]
    ids = encoding.encode(long)
    assert encoding.decode(ids) == long
    assert not any(len(piece) > WordCache.MAX_WORD_LENGTH for piece in encoding._cache)


# --- steps ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("encoding", ENCODINGS, ids=repr)
@examples(80)
@given(text=texts(), allowed=st.sampled_from(["all", {"[UNK]"}, set()]), disallowed=st.sampled_from(["all", ()]))
@example(text="a[UNK]", allowed=set(), disallowed="all")  # refused
@example(text="a[UNK]", allowed={"[UNK]"}, disallowed="all")
def test_the_steps_give_the_same_ids(encoding: Encoding, text: str, allowed: Any, disallowed: Any) -> None:
    policy: dict[str, Any] = {"allowed_special": allowed, "disallowed_special": disallowed}
    try:
        ids = encoding.encode(text, **policy)
    except ValueError as error:
        with pytest.raises(ValueError) as raised:
            encoding.encode.record(text, **policy)
        assert str(raised.value) == str(error)
        return
    recording = encoding.encode.record(text, **policy)
    assert recording.result == ids == encoding.encode.progress(text, **policy)
    seen: list[int] = []
    for step in recording:
        if isinstance(step, PieceEncoded):
            seen += step.ids
        elif isinstance(step, SpecialTokenFound | WholePieceFound):
            seen.append(step.id)
    assert seen == ids
    assert "".join(step.piece for step in recording if isinstance(step, PreTokenSplit)) == encoding.decode(
        [id for id in ids if not encoding.is_special_token(id)]
    )


def test_steps_of_a_long_piece_come_from_the_agenda_and_give_the_same() -> None:
    for length in (99, 100, 101, 500):
        recording = encoding.encode.record("ab" * length)
        assert recording.result == encoding.encode("ab" * length)
        assert isinstance(recording[1], PairMerged) and isinstance(recording[-1], PieceEncoded)


def test_the_steps_read_as_sentences_and_can_be_kept(tmp_path: Path) -> None:
    small = Encoding(
        "s", pat_str=split_cl100k.pattern, mergeable_ranks=BYTES | {b"ab": 256}, special_tokens={"<s>": 300}
    )
    recording = small.encode.record("<s>ab aba", allowed_special="all")
    assert str(recording).splitlines() == [
        "1. <s> is a special token and allowed: id 300",
        "2. ab was split off by the rule letters, a symbol before them",
        "3. ab as a whole is a token, id 256",
        "4. ␣aba was split off by the rule letters, a symbol before them",
        "5. a + b became ab, rank 256, at 1",
        "6. ␣aba has the ids 32 256 97",
    ]
    assert recording.function == "tokenlab.libraries.tiktoken.core.Encoding.encode"
    assert recording.arguments == {"text": "<s>ab aba", "allowed_special": "all", "disallowed_special": "all"}
    assert Recording.from_json(recording.to_json()) == recording


def test_a_whole_piece_is_looked_up_before_any_merge() -> None:
    ranks = BYTES | {b"abc": 256}
    made = Encoding("s", pat_str=r"\w+", mergeable_ranks=ranks, special_tokens={})
    assert made.encode("abc") == [256] and made.encode("abcd") == [97, 98, 99, 100]
    assert byte_pair_merge(b"abc", ranks) == [97, 98, 99]


def test_encode_is_a_method_that_can_be_called_sent_and_overridden() -> None:
    assert encoding.encode == encoding.encode and "encode" not in vars(encoding)
    assert pickle.loads(pickle.dumps(encoding)).encode("low") == encoding.encode("low")
    assert pickle.loads(pickle.dumps(encoding.encode))("low") == encoding.encode("low")
    assert list(inspect.signature(encoding.encode).parameters) == ["text", "allowed_special", "disallowed_special"]
    assert Encoding.encode(encoding, "low") == encoding.encode("low")
    assert (encoding.encode.__doc__ or "").startswith("Return the ids of a text")

    class Loud(Encoding):
        def encode(self, text: str, **policy: Any) -> list[int]:  # type: ignore[override]
            return super().encode(text.upper(), **policy)

    loud = Loud("loud", pat_str=encoding._pat_str, mergeable_ranks=BYTES, special_tokens={})
    assert loud.encode("a") == loud.encode("a") == [65]


def test_an_encoding_that_is_used_no_more_is_collected() -> None:
    made = Encoding("s", pat_str=".", mergeable_ranks=BYTES, special_tokens={})
    made.encode("a")
    gone = weakref.ref(made)
    del made
    gc.collect()
    assert gone() is None


def test_a_watchable_method_runs_the_plain_body_when_called() -> None:
    class Both:
        def _steps(self, text: str) -> Any:
            yield from text
            return "steps"

        @traced_method(_steps)
        def run(self, text: str) -> str:
            return "plain"

    assert Both().run("ab") == "plain"
    assert list(Both().run.steps("ab")) == ["a", "b"]
    assert Both().run.record("ab").result == "steps"


# --- the cache ------------------------------------------------------------------------------------


def test_the_cache_is_bounded_and_forgets_nothing_that_matters(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(WordCache, "MAX_WORDS", 10)
    made = Encoding("s", pat_str=encoding._pat_str, mergeable_ranks=RANKS["cl100k"], special_tokens={})
    for name in ("english", "mixed"):
        assert made.encode(data.text(name)) == encoding.encode(data.text(name), disallowed_special=())
        assert 0 < len(made._cache) <= 10


def test_the_ids_that_are_returned_are_nobody_elses() -> None:
    first = encoding.encode("low")
    first.append(-1)
    assert encoding.encode("low") == first[:-1]
    encoding.token_byte_values().clear()
    assert encoding.token_byte_values()


def test_changing_the_ranks_afterwards_changes_nothing() -> None:
    ranks = dict(BYTES)
    made = Encoding("s", pat_str=".+", mergeable_ranks=ranks, special_tokens={})
    ranks[b"ab"] = 256
    assert made.encode("ab") == [97, 98]


def test_threads_may_share_an_encoding(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(WordCache, "MAX_WORDS", 50)
    lines = data.text("mixed").splitlines() * 3
    expected = encoding.encode_ordinary_batch(lines)
    made = Encoding("s", pat_str=encoding._pat_str, mergeable_ranks=RANKS["cl100k"], special_tokens={})
    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(made.encode_ordinary, lines)) == expected


# --- special tokens -------------------------------------------------------------------------------


@pytest.mark.parametrize("specials", [{"<a>": 300, "<a><b>": 301}, {"<a><b>": 301, "<a>": 300}])
def test_of_special_tokens_that_begin_alike_the_longest_is_found(specials: dict[str, int]) -> None:
    made = Encoding("s", pat_str=".", mergeable_ranks=BYTES, special_tokens=specials)
    assert made.encode("<a><b>", allowed_special="all") == [301]
    assert made.encode("<a><c>", allowed_special="all") == [300, *b"<c>"]
    assert made.encode("<a><b>", allowed_special={"<a>"}, disallowed_special=()) == [300, *b"<b>"]
    with pytest.raises(ValueError, match="'<a><b>'"):
        made.encode("x<a><b>")


def test_of_two_special_tokens_with_one_id_the_first_is_decoded() -> None:
    made = Encoding("s", pat_str=".", mergeable_ranks=BYTES, special_tokens={"<a>": 300, "<b>": 300, "<c>": 97})
    assert made.decode([300, 97]) == "<a>a"
    assert made.encode("<a><b>", allowed_special="all") == [300, 300]


def test_an_empty_special_token_is_never_found() -> None:
    made = Encoding("s", pat_str=".", mergeable_ranks=BYTES, special_tokens={"": 300, "<s>": 301})
    assert made.encode("a<s>", allowed_special="all") == [97, 301]


def test_no_merge_and_no_cut_crosses_a_special_token() -> None:
    ids = encoding.encode("low[UNK]er \n", allowed_special="all")
    assert ids == [*encoding.encode("low"), 902, *encoding.encode("er \n")]


# --- sentences ------------------------------------------------------------------------------------


def fails(call: Callable[[], Any], kind: type[Exception], *words: str) -> None:
    with pytest.raises(kind) as raised:
        call()
    for word in words:
        assert word in str(raised.value), str(raised.value)


def test_errors_of_an_encoding_say_what_to_do() -> None:
    fails(
        lambda: encoding.encode("a[UNK]"), ValueError, "'[UNK]'", "allowed_special={'[UNK]'}", "disallowed_special=()"
    )
    fails(lambda: encoding.encode(b"a"), TypeError, "bytes")  # type: ignore[arg-type]
    fails(lambda: encoding.encode(5, disallowed_special=()), TypeError, "text=5 is a int", "string")  # type: ignore[arg-type]
    fails(lambda: encoding.encode("a", allowed_special=["a"], disallowed_special=()), TypeError, "'all' or a set")  # type: ignore[arg-type]
    fails(lambda: encoding.decode([97, 899]), KeyError, "no token has the id 899", "903")
    fails(lambda: encoding.decode_single_token_bytes(901), KeyError, "901")
    fails(lambda: encoding.decode([97, -1]), OverflowError, "-1 is not an id", "4294967295")
    fails(lambda: encoding.decode("ab"), TypeError, "tokens='ab' is a str", "list of ids")  # type: ignore[arg-type]
    fails(lambda: encoding.encode_single_token("low low"), KeyError, "low low", "is not a token")
    fails(lambda: encoding.encode_single_token(5), TypeError, "5 is a int")  # type: ignore[arg-type]
    fails(lambda: encoding.is_special_token("a"), AssertionError, "token='a'")  # type: ignore[arg-type]
    fails(lambda: encoding.encode_batch(["a"], num_threads=0), ValueError, "num_threads=0")
    fails(lambda: encoding._encode_bytes("a"), TypeError, "give bytes")  # type: ignore[arg-type]


def made_of(**arguments: Any) -> Callable[[], Encoding]:
    return lambda: Encoding("s", **({"pat_str": ".", "mergeable_ranks": BYTES, "special_tokens": {}} | arguments))


def test_errors_of_what_an_encoding_is_made_of_say_what_to_do() -> None:
    fails(made_of(mergeable_ranks={b"a": 0, b"b": 0}), ValueError, "same rank", "b'a' and b'b' have 0")
    fails(made_of(mergeable_ranks={"a": 0}), TypeError, "'a'", "give bytes")
    fails(made_of(mergeable_ranks={b"a": -7}), OverflowError, "-7")
    fails(made_of(pat_str="("), ValueError, "pat_str='('", "position")
    fails(made_of(explicit_n_vocab=5), AssertionError, "explicit_n_vocab=5", "256 tokens")
    fails(made_of(explicit_n_vocab=257, special_tokens={"a": 300}), AssertionError, "highest id is 300")
    fails(lambda: made_of(mergeable_ranks={b"a": 0})().encode("ab"), ValueError, "0x62", "256 bytes")
    fails(lambda: made_of(pat_str="a*")().encode("b"), ValueError, "empty string")


def test_unknown_names_are_answered_with_the_nearest() -> None:
    fails(lambda: tiktoken.get_encoding("cl100k"), ValueError, "did you mean 'cl100k_base'", "'o200k_harmony'")
    fails(lambda: tiktoken.get_encoding(5), ValueError, "encoding_name=5", "string")  # type: ignore[arg-type]
    fails(lambda: tiktoken.encoding_name_for_model("gpt4"), KeyError, "did you mean 'gpt-4'", "get_encoding(")
    fails(lambda: tiktoken.encoding_for_model("text-davinci-4"), KeyError, "did you mean 'text-davinci-00")


# --- .tiktoken files ------------------------------------------------------------------------------

RANKED = BYTES | {b"ab": 256, b"abc": 257, b"\n": 10, " é".encode(): 258}


def lines_of(ranks: dict[bytes, int]) -> list[bytes]:
    return [base64.b64encode(token) + b" %d\n" % rank for token, rank in ranks.items()]


def write(folder: Path, contents: bytes) -> str:
    (folder / "some.tiktoken").write_bytes(contents)
    return str(folder / "some.tiktoken")


@pytest.mark.slow
def test_every_truncation_of_a_file_is_refused_or_a_whole_prefix(tmp_path: Path) -> None:
    path = tmp_path / "whole.tiktoken"
    load.dump_tiktoken_bpe(RANKED, str(path))
    whole = path.read_bytes()
    assert whole == b"".join(lines_of(RANKED)) and load.load_tiktoken_bpe(str(path)) == RANKED
    loaded = set()
    for length in range(len(whole)):
        try:
            ranks = load.load_tiktoken_bpe(write(tmp_path, whole[:length]))
        except ValueError as error:
            assert "some.tiktoken" in str(error)
        else:
            assert whole[:length] == b"".join(lines_of(ranks)) and ranks.items() <= RANKED.items()
            loaded.add(len(ranks))
    assert loaded == {256, 257, 258}


def test_every_truncation_is_refused_where_the_hash_is_known(tmp_path: Path) -> None:
    whole = b"".join(lines_of(RANKED))
    sha256 = hashlib.sha256(whole).hexdigest()
    assert load.load_tiktoken_bpe(write(tmp_path, whole), sha256) == RANKED
    for length in range(0, len(whole), 7):
        file = write(tmp_path, whole[:length])
        fails(lambda file=file: load.load_tiktoken_bpe(file, sha256), ValueError, file, "damaged", sha256)  # type: ignore[misc]


@pytest.mark.slow
def test_truncation_of_an_unsorted_file_is_seen_too(tmp_path: Path) -> None:
    whole = b"".join(reversed(lines_of(RANKED)))
    assert load.load_tiktoken_bpe(write(tmp_path, whole)) == RANKED
    for length in range(len(whole)):
        fails(lambda length=length: load.load_tiktoken_bpe(write(tmp_path, whole[:length])), ValueError)  # type: ignore[misc]


BAD_LINES = [
    b"AA==",
    b"AA== x",
    b"AA== 1 2",
    b"AA== -1",
    b"AA== 1_0",
    b"AA== 1.5",
    b"A 1",
    b"%% 1",
    b"x",
    b"\xff\xfe 1",
]


@pytest.mark.parametrize("line", BAD_LINES)
def test_a_line_that_cannot_be_read_is_named(line: bytes, tmp_path: Path) -> None:
    lines = lines_of(RANKED)
    lines[7:7] = [line + b"\n"]
    file = write(tmp_path, b"".join(lines))
    fails(lambda: load.load_tiktoken_bpe(file), ValueError, f"{file}, line 8", repr(line))
    sha256 = hashlib.sha256(b"".join(lines)).hexdigest()
    fails(lambda: load.load_tiktoken_bpe(file, sha256), ValueError, f"{file}, line 8")


def test_a_file_with_a_public_name_and_another_hash_is_warned_about(tmp_path: Path) -> None:
    contents = b"".join(lines_of(RANKED))
    for name in ("cl100k_base.tiktoken", "cl100k_base"):
        (tmp_path / name).write_bytes(contents)
        with pytest.warns(UserWarning, match=f"{name} has the name of OpenAI's cl100k_base, but another SHA-256"):
            assert load.load_tiktoken_bpe(str(tmp_path / name)) == RANKED
    expected = hashlib.sha256(contents).hexdigest()
    assert load.load_tiktoken_bpe(str(tmp_path / "cl100k_base"), expected) == RANKED  # no warning: it was asked for


def changed(**ranks: int) -> dict[bytes, int]:
    return RANKED | {token.encode(): rank for token, rank in ranks.items()}


@pytest.mark.parametrize(
    ("contents", "words"),
    [
        (b"".join(lines_of(changed(xy=260))), ["no token has rank 259", "up to 260", "expected_hash"]),
        (b"".join(lines_of(changed(xy=256))), ["line 260", "the rank 256", "also in line 257"]),
        (b"".join(lines_of(RANKED)) + b"YWI= 259\n", ["line 260", "the token b'ab'", "also in line 257"]),
        (b"".join(lines_of({b"a": 0, b"b": 1})), ["254 of the 256 bytes", "0x00"]),
        (b"", ["no line end"]),
        (b"".join(lines_of(RANKED))[:-1], ["no line end", "258"]),
    ],
    ids=["gap", "duplicate rank", "duplicate token", "missing bytes", "empty", "no line end"],
)
def test_ranks_that_are_not_whole_are_refused(contents: bytes, words: list[str], tmp_path: Path) -> None:
    file = write(tmp_path, contents)
    fails(lambda: load.load_tiktoken_bpe(file), ValueError, file, *words)


def test_a_file_with_its_hash_may_have_a_hole_as_p50k_base_has(tmp_path: Path) -> None:
    contents = b"".join(lines_of(changed(xy=260)))
    sha256 = hashlib.sha256(contents).hexdigest()
    assert load.load_tiktoken_bpe(write(tmp_path, contents), sha256)[b"xy"] == 260


def test_line_ends_of_windows_and_empty_lines_do_no_harm(tmp_path: Path) -> None:
    contents = b"\r\n\r\n".join(line.strip() for line in lines_of(RANKED)) + b"\r\n"
    assert load.load_tiktoken_bpe(write(tmp_path, contents)) == RANKED


def test_a_dump_that_fails_leaves_the_old_file(tmp_path: Path) -> None:
    file = write(tmp_path, b"old")
    with pytest.raises(TypeError):
        load.dump_tiktoken_bpe({b"a": 0, "b": 1}, file)  # type: ignore[dict-item]
    assert [path.read_bytes() for path in tmp_path.iterdir()] == [b"old"]


# --- the cache folder -----------------------------------------------------------------------------

ADDRESS = "https://example.com/some.tiktoken"
DATA = b"".join(lines_of(RANKED))
SHA256 = hashlib.sha256(DATA).hexdigest()


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The cache folder; there is no network."""

    def no_network(*_: Any, **__: Any) -> Any:
        raise URLError("no network in tests")

    monkeypatch.setenv("TIKTOKEN_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setattr("urllib.request.urlopen", no_network)
    (tmp_path / "cache").mkdir()
    return tmp_path / "cache"


def place(cache: Path) -> Path:
    return cache / hashlib.sha1(ADDRESS.encode()).hexdigest()


class Server:
    """Answers like urlopen, and counts."""

    def __init__(self, data: bytes) -> None:
        self.data, self.asked = data, 0

    def __call__(self, address: str, timeout: float) -> Server:
        assert address == ADDRESS and timeout > 0
        self.asked += 1
        return self

    def __enter__(self) -> Server:
        return self

    def __exit__(self, *_: object) -> None: ...

    def read(self) -> bytes:
        return self.data


def test_without_a_network_the_error_says_which_file_to_put_where(cache: Path) -> None:
    words = (ADDRESS, "no network in tests", str(cache), place(cache).name, "TIKTOKEN_CACHE_DIR")
    fails(lambda: load.load_tiktoken_bpe(ADDRESS, SHA256), ConnectionError, *words)
    fails(lambda: tiktoken.get_encoding("o200k_base"), ConnectionError, "o200k_base.tiktoken", str(cache))
    assert "o200k_base" not in registry.ENCODINGS and list(cache.iterdir()) == []
    place(cache).write_bytes(DATA)
    assert load.load_tiktoken_bpe(ADDRESS, SHA256) == RANKED


def test_a_download_is_kept_and_asked_for_once(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    server = Server(DATA)
    monkeypatch.setattr("urllib.request.urlopen", server)
    monkeypatch.setenv("TIKTOKEN_CACHE_DIR", str(cache / "new" / "folder"))
    assert load.load_tiktoken_bpe(ADDRESS, SHA256) == load.load_tiktoken_bpe(ADDRESS, SHA256) == RANKED
    assert server.asked == 1
    assert [path.name for path in (cache / "new" / "folder").iterdir()] == [place(cache).name]


def test_a_download_with_a_wrong_hash_is_not_kept(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("urllib.request.urlopen", Server(DATA[:-1]))
    fails(lambda: load.load_tiktoken_bpe(ADDRESS, SHA256), ValueError, ADDRESS, SHA256, "it was not used")
    assert list(cache.iterdir()) == []


def test_a_cached_file_with_a_wrong_hash_is_neither_used_nor_deleted(
    cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place(cache).write_bytes(b"somebody else's")
    server = Server(DATA)
    monkeypatch.setattr("urllib.request.urlopen", server)
    fails(lambda: load.load_tiktoken_bpe(ADDRESS, SHA256), ValueError, str(place(cache)), ADDRESS, SHA256, "delete it")
    assert place(cache).read_bytes() == b"somebody else's" and server.asked == 0


def test_the_first_of_two_cache_folders_counts(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DATA_GYM_CACHE_DIR", str(cache / "other"))
    place(cache).write_bytes(DATA)
    assert load.read_file_cached(ADDRESS) == DATA


def test_an_empty_name_turns_the_cache_off(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TIKTOKEN_CACHE_DIR", "")
    server = Server(DATA)
    monkeypatch.setattr("urllib.request.urlopen", server)
    assert load.read_file_cached(ADDRESS) == load.read_file_cached(ADDRESS, SHA256) == DATA
    assert server.asked == 2 and list(cache.iterdir()) == []


def test_a_cache_folder_that_was_asked_for_has_to_work(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (cache / "file").write_bytes(b"")
    monkeypatch.setattr("urllib.request.urlopen", Server(DATA))
    monkeypatch.setenv("TIKTOKEN_CACHE_DIR", str(cache / "file"))
    with pytest.raises(OSError):
        load.read_file_cached(ADDRESS)
    monkeypatch.delenv("TIKTOKEN_CACHE_DIR")
    monkeypatch.delenv("DATA_GYM_CACHE_DIR", raising=False)
    monkeypatch.setattr("tempfile.tempdir", str(cache / "file"))
    assert load.read_file_cached(ADDRESS) == DATA


def test_a_local_file_is_read_where_it_is_even_after_a_change(cache: Path) -> None:
    file = write(cache.parent, DATA)
    assert load.read_file_cached(file) == DATA
    write(cache.parent, DATA[:-9])
    assert load.read_file_cached(file) == DATA[:-9] and list(cache.iterdir()) == []
    fails(lambda: load.read_file_cached(file, SHA256), ValueError, file, SHA256)
    fails(lambda: load.read_file("s3://bucket/x"), ValueError, "s3://bucket/x")
    with pytest.raises(FileNotFoundError):
        load.read_file_cached(str(cache / "nothing"))


# --- GPT-2's two files ----------------------------------------------------------------------------

MERGES = [(b"a", b"b"), (b"ab", b"c"), (b" ", b"ab")]
GPT2 = {bytes([byte]): rank for rank, byte in enumerate(GPT2_ORDER)} | {
    left + right: rank for rank, (left, right) in enumerate(MERGES, start=256)
}


@pytest.fixture
def gpt2_files(tmp_path: Path) -> tuple[Path, Path]:
    merges, encoder = tmp_path / "vocab.bpe", tmp_path / "encoder.json"
    lines = ["#version: 0.2", *(f"{bytes_to_symbols(left)} {bytes_to_symbols(right)}" for left, right in MERGES), ""]
    merges.write_text("\n".join(lines), encoding="utf-8", newline="\n")
    ids = {bytes_to_symbols(token): rank for token, rank in GPT2.items()} | {"<|endoftext|>": 259}
    encoder.write_text(json.dumps(ids), encoding="utf-8")
    return merges, encoder


def test_gpt2s_files_give_the_bytes_and_what_the_merges_make(gpt2_files: tuple[Path, Path]) -> None:
    merges, encoder = map(str, gpt2_files)
    assert load.data_gym_to_mergeable_bpe_ranks(merges, encoder) == GPT2
    assert registry.gpt2.__name__ in tiktoken.list_encoding_names()


def test_ids_of_single_bytes_can_be_taken_from_the_second_file(gpt2_files: tuple[Path, Path]) -> None:
    merges, encoder = gpt2_files
    ids = json.loads(encoder.read_bytes())
    ids["a"], ids["b"] = ids["b"], ids["a"]
    encoder.write_text(json.dumps(ids), encoding="utf-8")
    fails(
        lambda: load.data_gym_to_mergeable_bpe_ranks(str(merges), str(encoder)), ValueError, "belong together", "a has"
    )
    ranks = load.data_gym_to_mergeable_bpe_ranks(str(merges), str(encoder), clobber_one_byte_tokens=True)
    assert ranks[b"a"] == GPT2[b"b"] and ranks[b"ab"] == 256


def test_every_truncation_of_gpt2s_files_is_refused(gpt2_files: tuple[Path, Path]) -> None:
    merges, encoder = map(str, gpt2_files)
    for damaged in gpt2_files:
        whole = damaged.read_bytes()
        for length in [*range(0, len(whole) - 1, 11 if damaged.suffix == ".json" else 1), len(whole) - 1]:
            damaged.write_bytes(whole[:length])
            fails(lambda: load.data_gym_to_mergeable_bpe_ranks(merges, encoder), ValueError, str(damaged))
        damaged.write_bytes(whole)


@pytest.mark.parametrize("line", ["a", "a b c", "a 日", "\udcff"])
def test_a_line_of_merges_that_cannot_be_read_is_named(line: str, gpt2_files: tuple[Path, Path]) -> None:
    merges, encoder = gpt2_files
    merges.write_bytes(f"#version\na b\n{line}\nab c\n".encode(errors="surrogateescape"))
    words = (f"{merges}, line 3", "two tokens in byte symbols")
    fails(lambda: load.data_gym_to_mergeable_bpe_ranks(str(merges), str(encoder)), ValueError, *words)


@pytest.mark.parametrize("contents", ["[]", "{", '{"日": 5}', "5"])
def test_an_encoder_that_is_no_table_is_named(contents: str, gpt2_files: tuple[Path, Path]) -> None:
    merges, encoder = gpt2_files
    encoder.write_text(contents, encoding="utf-8")
    fails(lambda: load.data_gym_to_mergeable_bpe_ranks(str(merges), str(encoder)), ValueError, str(encoder))


# --- weight ---------------------------------------------------------------------------------------


def test_importing_is_light() -> None:
    heavy = ["numpy", "torch", "matplotlib", "ipywidgets", "requests", "urllib.request", "tiktoken"]
    heavy += ["regex"]  # needed by the first pattern
    heavy += ["tokenlab.steps.recording", "dataclasses", "inspect", "json", "random"]  # needed by steps and recordings
    heavy += ["difflib", "hashlib", "base64", "tempfile", "concurrent.futures"]  # needed by errors, hashes and pools
    code = f"import sys, tokenlab.libraries.tiktoken; print([m for m in {heavy} if m in sys.modules])"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, encoding="utf-8").stdout.strip() == "[]"
