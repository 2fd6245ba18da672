"""From sources to shards: samples, vocabularies, the files of a problem, and a run that is interrupted anywhere."""

from __future__ import annotations

import contextlib
import gzip
import json
import os
import tarfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.scripts import script
from tokenlab import data
from tokenlab.libraries.tensor2tensor import generator_utils, text_encoder, text_problems
from tokenlab.libraries.tensor2tensor.generator_utils import (
    generate_lines_for_vocab,
    get_or_generate_txt_vocab,
    get_or_generate_vocab,
    get_or_generate_vocab_inner,
    read_records,
)
from tokenlab.libraries.tensor2tensor.problem import DatasetSplit, Problem
from tokenlab.libraries.tensor2tensor.text_problems import (
    Text2SelfProblem,
    Text2TextProblem,
    VocabType,
    text2text_generate_encoded,
    text2text_txt_iterator,
)
from tokenlab.libraries.tensor2tensor.translate import SentencePair, TranslateProblem, compile_data
from tokenlab.libraries.tensor2tensor.translate_enzh import TranslateEnzhSmall, TranslateEnzhWmt8k

PAIRS = [("a cup of tea", "一杯茶"), ("two cups", "两个杯子"), ("tea and fish", "茶和鱼"), ("the old man", "老人")]


class Letters:
    def encode(self, text: str) -> list[int]:
        return [ord(character) for character in text]


class Small(Text2TextProblem):
    """Four pairs, in both splits."""

    approx_vocab_size = 90
    asked: list[str]

    def __init__(self) -> None:
        self.asked = []

    @property
    def dataset_splits(self) -> list[dict[str, Any]]:
        return [{"split": DatasetSplit.TRAIN, "shards": 2}, {"split": DatasetSplit.EVAL, "shards": 1}]

    @property
    def is_generate_per_split(self) -> bool:
        return True

    def generate_samples(self, data_dir: str, tmp_dir: str, dataset_split: str) -> Iterator[dict[str, Any]]:
        self.asked.append(dataset_split)
        for source, target in PAIRS:
            yield {"inputs": f"{dataset_split} {source}", "targets": target}


def made(folder: Path) -> dict[str, str]:
    return {path.name: path.read_text(encoding="utf-8") for path in sorted(folder.iterdir())}


def folders(tmp_path: Path) -> tuple[str, str]:
    return str(tmp_path / "data"), str(tmp_path / "tmp")


def decoded(problem: Text2TextProblem, folder: Path, pattern: str) -> list[dict[str, str]]:
    """The examples of some shards as texts, less the EOS that each must end in."""
    encoders = problem.feature_encoders(str(folder))
    texts = []
    for path in sorted(folder.glob(pattern)):
        for example in read_records(str(path)):
            assert all(ids[-1] == text_encoder.EOS_ID == 1 and 1 not in ids[:-1] for ids in example.values())
            texts.append({side: encoders[side].decode(ids[:-1]) for side, ids in example.items()})
    return texts


# --- a problem ------------------------------------------------------------------------------------


def test_a_problem_makes_a_vocabulary_and_the_shards_of_each_split(tmp_path: Path) -> None:
    problem = Small()
    problem.generate_data(*folders(tmp_path))
    assert list(made(tmp_path / "data")) == [
        "small-dev-00000-of-00001",
        "small-train-00000-of-00002",
        "small-train-00001-of-00002",
        "vocab.small.90.subwords",
    ]
    assert problem.asked == ["train", "train", "eval"]  # once for the vocabulary
    for split, name in (("train", "train"), ("eval", "dev")):
        wanted = [{"inputs": f"{split} {source}", "targets": target} for source, target in PAIRS]
        found = decoded(problem, tmp_path / "data", f"small-{name}*")
        assert sorted(map(str, found)) == sorted(map(str, wanted))


def test_one_call_s_samples_are_dealt_out_to_all_splits_if_they_have_none_of_their_own(tmp_path: Path) -> None:
    class Unified(Small):
        is_generate_per_split = False  # type: ignore[assignment]

    problem = Unified()
    problem.generate_data(*folders(tmp_path))
    assert problem.asked == ["train", "train"]
    sizes = [len(text.splitlines()) for name, text in made(tmp_path / "data").items() if "of-0000" in name]
    assert sizes == [1, 2, 1]


def test_everything_made_once_is_made_no_second_time(tmp_path: Path) -> None:
    Small().generate_data(*folders(tmp_path))
    before, again = made(tmp_path / "data"), Small()
    again.generate_data(*folders(tmp_path))
    assert made(tmp_path / "data") == before and again.asked == []


@pytest.mark.parametrize("function", ["replace", "remove"])
@pytest.mark.parametrize("call", range(12))
def test_interrupted_between_any_two_files_and_run_again_the_data_are_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, function: str, call: int
) -> None:
    TranslateEnzhTiny().generate_data(str(tmp_path / "whole"), str(tmp_path / "tmp1"))
    right, calls = getattr(os, function), iter(range(call))

    def killed(*arguments: Any) -> None:
        if next(calls, None) is None:
            raise SystemExit("killed")
        right(*arguments)

    with monkeypatch.context() as patch:
        patch.setattr(os, function, killed)
        with contextlib.suppress(SystemExit):
            TranslateEnzhTiny().generate_data(str(tmp_path / "torn"), str(tmp_path / "tmp2"))
    TranslateEnzhTiny().generate_data(str(tmp_path / "torn"), str(tmp_path / "tmp2"))
    assert made(tmp_path / "torn") == made(tmp_path / "whole")
    assert made(tmp_path / "tmp1") == made(tmp_path / "tmp2")


class TranslateEnzhTiny(TranslateEnzhSmall):
    """The corpus for evaluation alone."""

    approx_vocab_size = 400
    file_byte_budget = 1500

    @property
    def dataset_splits(self) -> list[dict[str, Any]]:
        return [{"split": DatasetSplit.TRAIN, "shards": 3}]

    def get_training_dataset(self, tmp_dir: str) -> list[Any]:
        return self.get_dev_dataset(tmp_dir)


@pytest.mark.parametrize("split", ["dev", "validation", "", None])
def test_a_split_that_is_not_known_is_named(tmp_path: Path, split: Any) -> None:
    class Wrong(Small):
        @property
        def dataset_splits(self) -> list[dict[str, Any]]:
            return [{"split": split, "shards": 1}]

    with pytest.raises(ValueError, match=rf"split={split!r} is not known.*'train', 'eval', 'test'"):
        Wrong().generate_data(*folders(tmp_path))
    assert not (tmp_path / "data").exists()


def test_what_a_subclass_has_to_say_is_asked_for(tmp_path: Path) -> None:
    with pytest.raises(NotImplementedError, match=r"Text2TextProblem must define is_generate_per_split"):
        Text2TextProblem().generate_data(*folders(tmp_path))
    with pytest.raises(NotImplementedError, match=r"must implement generate_samples"):
        Text2TextProblem().generate_samples("", "", "train")
    with pytest.raises(NotImplementedError, match=r"must implement source_data_files"):
        TranslateProblem().generate_data(*folders(tmp_path))
    with pytest.raises(NotImplementedError, match=r"must implement generate_data"):
        Problem().generate_data("", "")


def test_the_three_kinds_of_vocabulary(tmp_path: Path) -> None:
    data_dir, tmp_dir = folders(tmp_path)
    problem = Small()
    problem.vocab_type = VocabType.CHARACTER
    assert isinstance(problem.get_or_create_vocab(data_dir, tmp_dir), text_encoder.ByteTextEncoder)
    problem.vocab_type = VocabType.TOKEN
    problem.oov_token = "?"
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "vocab.small.tokens").write_text("?\ntea\n", encoding="utf-8")
    tokens = problem.get_or_create_vocab(data_dir, tmp_dir)
    assert isinstance(tokens, text_encoder.TokenTextEncoder) and tokens.encode("tea milk") == [1, 0]
    problem.vocab_type = "words"
    with pytest.raises(ValueError, match=r"vocab_type='words' is not known"):
        problem.get_or_create_vocab(data_dir, tmp_dir)


def test_a_vocabulary_may_be_wanted_from_its_file_alone(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"there is no file .*vocab.small.90.subwords"):
        Small().get_or_create_vocab(str(tmp_path), None, force_get=True)
    assert os.listdir(tmp_path) == []


def test_a_vocabulary_may_be_another_problem_s(tmp_path: Path) -> None:
    class Other(Small):
        use_vocab_from_other_problem = Small()

        def generate_text_for_vocab(self, data_dir: str, tmp_dir: str) -> Iterator[str]:
            raise AssertionError("the other problem's texts are wanted")
            yield

    Other().generate_data(*folders(tmp_path))
    assert "vocab.small.90.subwords" in made(tmp_path / "data") and Other().vocab_filename == "vocab.small.90.subwords"


def test_the_vocabulary_sees_as_many_samples_as_it_may() -> None:
    problem = Small()
    assert list(problem.generate_text_for_vocab("", ""))[:2] == ["train a cup of tea", "一杯茶"]
    assert len(list(problem.generate_text_for_vocab("", ""))) == 8
    problem.max_samples_for_vocab = 3
    assert len(list(problem.generate_text_for_vocab("", ""))) == 6
    problem.has_inputs = False
    assert list(problem.generate_text_for_vocab("", "")) == ["一杯茶", "两个杯子", "茶和鱼"]


def test_tokens_may_be_reserved(tmp_path: Path) -> None:
    problem = Small()
    problem.additional_reserved_tokens = ["<zh>"]
    vocabulary = problem.get_or_create_vocab(*folders(tmp_path))
    assert isinstance(vocabulary, text_encoder.SubwordTextEncoder)
    assert [piece.rstrip("_") for piece in vocabulary.all_subtoken_strings[:3]] == ["<pad>", "<EOS>", "<zh>"]


def test_texts_may_get_a_prefix() -> None:
    problem = Small()
    problem.inputs_prefix, problem.targets_prefix = "x", "yy"
    problem.vocab_type = VocabType.CHARACTER
    first = next(problem.generate_encoded_samples("", "", "train"))
    assert [len(first["inputs"]), len(first["targets"])] == [1 + len("train a cup of tea") + 1, 2 + 9 + 1]


def test_packed_examples_are_what_is_written(tmp_path: Path) -> None:
    problem = Small()
    problem.packed_length, problem.vocab_type = 100, VocabType.CHARACTER
    problem.generate_data(*folders(tmp_path))
    [line] = made(tmp_path / "data")["small-train-00000-of-00002"].splitlines()
    packed = json.loads(line)
    assert max(packed["inputs_segmentation"]) == 2 and 0 not in packed["inputs_segmentation"]
    assert [*packed] == [
        f"{side}{kind}" for side in ("inputs", "targets") for kind in ("", "_segmentation", "_position")
    ]


def test_a_language_model_has_no_inputs(tmp_path: Path) -> None:
    class Lines(Text2SelfProblem):
        is_generate_per_split = True  # type: ignore[assignment]
        vocab_type = VocabType.CHARACTER
        packed_length = 4

        def generate_samples(self, data_dir: str, tmp_dir: str, dataset_split: str) -> Iterator[dict[str, Any]]:
            yield {"targets": "abcdef"}

        @property
        def dataset_splits(self) -> list[dict[str, Any]]:
            return [{"split": "test", "shards": 1}]

    Lines().generate_data(*folders(tmp_path))
    [name] = made(tmp_path / "data")
    assert name == "lines-test-00000-of-00001"
    rows = read_records(str(tmp_path / "data" / name))
    assert [row["targets"][-1] == 1 for row in rows] == [False, True] and rows[0]["inputs"] == [0]
    assert list(Lines().feature_encoders("")) == ["targets"]


def test_names_are_the_class_s_in_small_letters() -> None:
    assert TranslateEnzhWmt8k().name == "translate_enzh_wmt8k"
    assert TranslateEnzhWmt8k().source_vocab_name == "vocab.translate_enzh_wmt8k.8192.subwords.en"
    problem = TranslateEnzhSmall()
    assert os.path.basename(problem.filepattern("d", "eval", shard=3)) == "translate_enzh_small-dev-00003*"
    assert [os.path.basename(name) for name in problem.test_filepaths("d", 1, True)] == [
        "translate_enzh_small-test-00000-of-00001"
    ]
    with pytest.raises(ValueError, match=r"mode='dev' is not known"):
        problem.filepattern("d", "dev")


# --- samples --------------------------------------------------------------------------------------


def test_every_text_ends_in_eos_and_the_samples_stay_as_they_were() -> None:
    samples = [{"inputs": "ab", "targets": ""}, {"inputs": "", "targets": "\ud800"}]
    encoded = list(text2text_generate_encoded(samples, Letters()))
    assert encoded == [{"inputs": [97, 98, 1], "targets": [1]}, {"inputs": [1], "targets": [0xD800, 1]}]
    assert samples[0] == {"inputs": "ab", "targets": ""}


def test_each_side_may_have_its_own_vocabulary() -> None:
    class Lengths:
        def encode(self, text: str) -> list[int]:
            return [len(text)]

    [encoded] = text2text_generate_encoded([{"inputs": "ab", "targets": "abc"}], Letters(), Lengths())
    assert encoded == {"inputs": [97, 98, 1], "targets": [3, 1]}


@pytest.mark.parametrize(("first", "second"), [("a\nb\n", "x\n"), ("", "x\n")])
def test_files_of_unequal_length_are_no_two_sides(tmp_path: Path, first: str, second: str) -> None:
    one, two = tmp_path / "one", tmp_path / "two"
    one.write_text(first, encoding="utf-8")
    two.write_text(second, encoding="utf-8")
    for paths in ((one, two), (two, one)):
        with pytest.raises(ValueError, match=r"ends before line .* has this line: are these sides of one corpus"):
            list(text2text_txt_iterator(*map(str, paths)))


def test_a_line_ends_at_a_line_feed_and_nowhere_else(tmp_path: Path) -> None:
    (tmp_path / "one").write_bytes("a\r\nb\u2028c\rd\n\x00\n".encode())
    (tmp_path / "two").write_bytes(b"1\n2\n3")
    found = list(text2text_txt_iterator(str(tmp_path / "one"), str(tmp_path / "two")))
    assert [sample["inputs"] for sample in found] == ["a", "b\u2028c\rd", "\x00"]


# --- sources --------------------------------------------------------------------------------------


def written(path: Path, text: str) -> Path:
    path.write_bytes(text.encode())
    return path


def sides(path: str) -> list[list[str]]:
    return [Path(f"{path}.{side}").read_text(encoding="utf-8").split("\n")[:-1] for side in ("lang1", "lang2")]


TSV = ("tsv", 0, 1, "*.tsv")


def test_lines_that_lack_something_are_left_out_and_said_to_be(tmp_path: Path) -> None:
    table = "tea\t茶\r\nno tab\n\t只有\nonly\t \n\nmilk\t 奶 \n"
    recording = compile_data.record(str(tmp_path / "t"), [[str(written(tmp_path / "a.tsv", table)), TSV]], "all")
    assert sides(recording.result) == [["tea", "milk"], ["茶", "奶"]]
    assert [step.skip_reason for step in recording if isinstance(step, SentencePair)] == [
        *("", "it contains no tab", "one side is empty", "one side is empty", "it contains no tab", "")
    ]
    assert str(recording[0]) == "a.tsv, line 1: tea | 茶"
    assert str(recording[1]) == "a.tsv, line 2 is skipped: it contains no tab"
    assert str(recording[-1]) == "2 pairs are written, 4 lines are skipped"


def test_columns_may_be_any_two(tmp_path: Path) -> None:
    source = str(written(tmp_path / "a.tsv", "1\ttea\t茶\n2\tmilk\t奶\n"))
    path = compile_data(str(tmp_path), [[source, ("tsv", 2, 1, "a.tsv")]], "all")
    assert sides(path) == [["茶", "奶"], ["tea", "milk"]]


def test_a_column_that_a_line_lacks_is_named(tmp_path: Path) -> None:
    source = str(written(tmp_path / "a.tsv", "1\ttea\t茶\n2\tmilk\n"))
    with pytest.raises(ValueError, match=r"a\.tsv: line 2 has 2 columns, so there is no column 2, counted from 0"):
        compile_data(str(tmp_path), [[source, ("tsv", 1, 2, "a.tsv")]], "all")
    assert os.listdir(tmp_path) == ["a.tsv"]


@pytest.mark.parametrize("name", ["corpus.tsv", "zig.tsv", "g.tsv"])
def test_an_unpacked_gz_file_keeps_its_name(tmp_path: Path, name: str) -> None:
    # strip(".gz"), which the library calls, would make "ig.tsv" of a relative "zig.tsv.gz".
    (tmp_path / f"{name}.gz").write_bytes(gzip.compress("tea\t茶\n".encode()))
    for run in ("first", "second"):
        pattern = ("tsv", 0, 1, "*.tsv*")
        assert sides(compile_data(str(tmp_path), [[str(tmp_path / f"{name}.gz"), pattern]], run)) == [["tea"], ["茶"]]
    assert (tmp_path / name).exists()


def test_sources_may_lie_in_a_tar(tmp_path: Path) -> None:
    with tarfile.open(tmp_path / "corpus.tgz", "w:gz") as archive:
        for name, text in (("deep/a.en", "tea\nmilk\n"), ("deep/a.zh", "茶\n奶\n"), ("b.tsv", "fish\t鱼\n")):
            archive.add(written(tmp_path / "one", text), name)
    url = str(tmp_path / "corpus.tgz")
    path = compile_data(str(tmp_path / "t"), [[url, ("deep/a.en", "deep/a.zh")], [url, TSV]], "all")
    assert sides(path) == [["tea", "milk", "fish"], ["茶", "奶", "鱼"]]


def test_a_file_that_the_archive_lacks_is_named(tmp_path: Path) -> None:
    with tarfile.open(tmp_path / "corpus.tgz", "w:gz") as archive:
        archive.add(written(tmp_path / "one", "tea"), "a.en")
    url = str(tmp_path / "corpus.tgz")
    with pytest.raises(FileNotFoundError, match=r"there is no file 'a.zh' in .*corpus.tgz'; list its members"):
        compile_data(str(tmp_path / "t"), [[url, ("a.en", "a.zh")]], "all")
    with pytest.raises(FileNotFoundError, match=r"no file in .*corpus.tgz' matches '\*\.tsv'"):
        compile_data(str(tmp_path / "t"), [[url, TSV]], "all")
    assert sorted(os.listdir(tmp_path / "t")) == ["a.en", "corpus.tgz"]


def test_what_is_not_supported_is_said(tmp_path: Path) -> None:
    source = str(written(tmp_path / "a.tmx", ""))
    with pytest.raises(ValueError, match=r"'tmx' are not supported"):
        compile_data(str(tmp_path), [[source, ("tmx", "a.tmx")]], "all")
    with pytest.raises(ValueError, match=r"datatypes_to_clean=\['txt'\] is not supported"):
        compile_data(str(tmp_path), [], "all", ["txt"])


def test_files_that_are_there_are_kept_and_half_of_them_is_none(tmp_path: Path) -> None:
    source = [[str(written(tmp_path / "a.tsv", "tea\t茶\n")), TSV]]
    path = compile_data(str(tmp_path), source, "all")
    written(tmp_path / "all.lang1", "mine\n")
    assert str(compile_data.record(str(tmp_path), source, "all")[-1]).endswith("already exist, so no source is read")
    assert sides(path)[0] == ["mine"]
    os.remove(tmp_path / "all.lang2")
    compile_data(str(tmp_path), source, "all")
    assert sides(path) == [["tea"], ["茶"]]


def test_a_file_that_is_not_utf_8_leaves_nothing_half_written(tmp_path: Path) -> None:
    (tmp_path / "a.tsv").write_bytes(b"tea\tcha\nth\xe9\tcha\n")
    with pytest.raises(ValueError, match=r"a\.tsv is not UTF-8: byte 10 \(line 2\)"):
        compile_data(str(tmp_path), [[str(tmp_path / "a.tsv"), TSV]], "all")
    assert os.listdir(tmp_path) == ["a.tsv"]


def test_an_empty_source_gives_empty_files(tmp_path: Path) -> None:
    path = compile_data(str(tmp_path), [[str(written(tmp_path / "a.tsv", "")), TSV]], "all")
    assert sides(path) == [[], []]


def test_a_translation_has_the_pairs_of_its_sources(tmp_path: Path) -> None:
    class Tea(TranslateProblem):
        approx_vocab_size = 80

        def source_data_files(self, dataset_split: str) -> list[Any]:
            return [[str(tmp_path / "a.en"), ("a.en", "a.zh")]]

        def vocab_data_files(self) -> list[Any]:
            return [[str(tmp_path / name), [name]] for name in ("a.en", "a.zh")]

        @property
        def dataset_splits(self) -> list[dict[str, Any]]:
            return [{"split": "train", "shards": 1}, {"split": "eval", "shards": 1}]

    written(tmp_path / "a.en", "tea\nmilk tea\n")
    written(tmp_path / "a.zh", "茶\n奶茶\n")
    (tmp_path / "tmp").mkdir()
    written(tmp_path / "tmp" / "a.zh", "茶\n奶茶\n")
    Tea().generate_data(*folders(tmp_path))
    assert {"tea-compiled-train.lang1", "tea-compiled-dev.lang2"} <= set(os.listdir(tmp_path / "tmp"))
    found = decoded(Tea(), tmp_path / "data", "tea-train*")
    assert sorted(map(str, found)) == sorted(
        map(str, [{"inputs": "tea", "targets": "茶"}, {"inputs": "milk tea", "targets": "奶茶"}])
    )


# --- vocabularies ---------------------------------------------------------------------------------


def test_the_budget_is_each_file_s_own(tmp_path: Path) -> None:
    for name in ("a", "b"):
        written(tmp_path / name, "".join(f"{name}{n}\n" for n in range(100)))
    sources = [[str(tmp_path / name), [name]] for name in ("a", "b")]
    lines = list(generate_lines_for_vocab(str(tmp_path), sources, 40))
    assert Counter(line[0] for line in lines) == {"a": 14, "b": 14}


def test_lines_are_read_only_when_somebody_asks(tmp_path: Path) -> None:
    lines = generate_lines_for_vocab(str(tmp_path / "t"), [[str(tmp_path / "nowhere"), ["nowhere"]]])
    assert not (tmp_path / "t").exists()
    with pytest.raises(FileNotFoundError, match=r"nowhere"):
        next(lines)


def test_a_vocabulary_s_file_is_its_cache_whatever_is_asked(tmp_path: Path) -> None:
    texts = [source for source, _ in PAIRS]
    first = get_or_generate_vocab_inner(str(tmp_path / "d"), "v", 80, texts)

    def never() -> Iterator[str]:
        raise AssertionError("the file is there")
        yield

    again = get_or_generate_vocab_inner(str(tmp_path / "d"), "v", 4000, never())
    assert again.all_subtoken_strings == first.all_subtoken_strings
    assert os.listdir(tmp_path / "d") == ["v"]


@pytest.mark.parametrize(("folder", "name"), [(None, "v"), ("", "v"), ("d", None)])
def test_without_a_folder_or_a_name_nothing_is_stored(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, folder: str | None, name: str | None
) -> None:
    monkeypatch.chdir(tmp_path)
    assert get_or_generate_vocab_inner(folder, name, 80, ["tea"]).decode([2]) is not None
    assert os.listdir(tmp_path) == []


def test_a_vocabulary_of_sources_knows_what_was_sampled_and_nothing_else(tmp_path: Path) -> None:
    written(tmp_path / "a", "".join(f"{'abcdefghij'[n % 10]}\n" for n in range(100)))
    vocabulary = get_or_generate_vocab(str(tmp_path), str(tmp_path), "v", 80, [[str(tmp_path / "a"), ["a"]]], 10)
    # 200 bytes, a budget of 10: every eleventh line, of which nine are left, a to j less k.
    letters = {piece for piece in vocabulary.all_subtoken_strings if piece in set("abcdefghij")}
    assert letters == set("abcdefghi")
    assert vocabulary.decode(vocabulary.encode("j")) == "j"  # escaped


def test_a_vocabulary_of_text_files_that_match_a_pattern(tmp_path: Path) -> None:
    written(tmp_path / "x1.txt", "abc\n")
    written(tmp_path / "x2.txt", "xyz\n")
    lines = get_or_generate_txt_vocab(str(tmp_path), "v2", 80, str(tmp_path / "x*.txt"))
    assert {*"abcxyz"} <= {*"".join(lines.all_subtoken_strings)}


# --- the corpus -----------------------------------------------------------------------------------


def test_the_corpus_is_what_its_script_makes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    here = data.FOLDER
    monkeypatch.setattr(data, "FOLDER", tmp_path)
    script("data/make_english_chinese.py").main()
    for name in ("english_chinese.tsv", "english_chinese_dev.tsv"):
        assert (tmp_path / name).read_bytes() == (here / name).read_bytes()


def test_every_line_of_the_corpus_has_two_sides_once() -> None:
    train, dev = data.pairs(), data.pairs("english_chinese_dev")
    assert len(train) >= 1000 and len(dev) == 100
    for english, chinese in (*train, *dev):
        assert english.isascii() and english == english.strip() and english[-1] in ".?!"
        assert chinese == chinese.strip() and chinese[-1] in "。？！" and any("一" <= c <= "鿿" for c in chinese)
    assert len({*train, *dev}) == len(train) + len(dev)
    assert len({english for english, _ in (*train, *dev)}) == len(train) + len(dev)


def test_the_corpus_goes_the_whole_way(tmp_path: Path) -> None:
    problem = TranslateEnzhSmall()
    problem.generate_data(*folders(tmp_path))
    for name, pairs in (("train", data.pairs()), ("dev", data.pairs("english_chinese_dev"))):
        found = decoded(problem, tmp_path / "data", f"translate_enzh_small-{name}*")
        assert sorted((text["inputs"], text["targets"]) for text in found) == sorted(pairs)
    sizes = [len(text.splitlines()) for name, text in made(tmp_path / "data").items() if "train-" in name]
    assert sum(sizes) == len(data.pairs()) and max(sizes) - min(sizes) <= 1 and len(sizes) == 4


# --- files of labels and numbers, and problems with files in a folder --------------------------------


def lines(path: Path, *texts: str) -> str:
    path.write_text("".join(f"{text}\n" for text in texts), encoding="utf-8")
    return str(path)


def test_labels_are_ids_or_names(tmp_path: Path) -> None:
    texts, ids = lines(tmp_path / "texts", "tea", "coffee"), lines(tmp_path / "ids", "1", "0")
    names = lines(tmp_path / "names", "good", "bad")
    expected = [{"inputs": "tea", "label": 1}, {"inputs": "coffee", "label": 0}]
    assert list(text_problems.text2class_txt_iterator(texts, ids)) == expected
    assert list(text_problems.text2class_txt_iterator(texts, names, class_strs=["bad", "good"])) == expected
    with pytest.raises(KeyError, match="good"):
        list(text_problems.text2class_txt_iterator(texts, names, class_strs=["bad"]))
    with pytest.raises(ValueError):
        list(text_problems.text2class_txt_iterator(texts, names))


def test_targets_may_be_numbers(tmp_path: Path) -> None:
    texts, numbers = lines(tmp_path / "texts", "tea", "coffee"), lines(tmp_path / "numbers", "0.5 2", "-1 0")
    samples = list(text_problems.text2real_txt_iterator(texts, numbers))
    assert [sample["targets"] for sample in samples] == [[0.5, 2.0], [-1.0, 0.0]]


def test_a_pattern_names_several_files(tmp_path: Path) -> None:
    for shard, text in enumerate(("tea", "cup")):
        lines(tmp_path / f"{shard}.tsv", f"{text}\t{text.upper()}")
    expected = [{"inputs": "tea", "targets": "TEA"}, {"inputs": "cup", "targets": "CUP"}]
    assert list(text_problems.text2text_txt_tab_iterator(str(tmp_path / "*.tsv*"))) == expected


def test_a_problem_may_be_four_files_in_a_folder(tmp_path: Path) -> None:
    for name in (*text_problems.Text2textTmpdir.TRAIN_FILES, *text_problems.Text2textTmpdir.EVAL_FILES):
        lines(tmp_path / name, f"tea from {name}")
    folder = str(tmp_path)
    problem: Text2TextProblem = text_problems.Text2textTmpdir()
    [sample] = problem.generate_samples(folder, folder, DatasetSplit.EVAL)
    assert sample == {"inputs": "tea from inputs.eval.txt", "targets": "tea from targets.eval.txt"}


class Shares(text_problems.DistributedText2TextProblem):
    """Five files for training and two for evaluation, in two shards and one."""

    approx_vocab_size = 60

    @property
    def dataset_splits(self) -> list[dict[str, Any]]:
        return [{"split": DatasetSplit.TRAIN, "shards": 2}, {"split": DatasetSplit.EVAL, "shards": 1}]

    def __init__(self, folder: Path, per_split: bool) -> None:
        self.name = "shares"
        self.per_split = per_split
        self.names = {
            split: [lines(folder / f"{split}{number}", f"{split} {number}") for number in range(size)]
            for split, size in ((DatasetSplit.TRAIN, 5), (DatasetSplit.EVAL, 2))
        }

    @property
    def is_generate_per_split(self) -> bool:
        return self.per_split

    def input_files(self, dataset_split: str = DatasetSplit.TRAIN) -> list[str]:
        return self.names[dataset_split]

    def generate_samples(  # type: ignore[override]
        self, data_dir: str, tmp_dir: str, dataset_split: str, input_files: list[str]
    ) -> Any:
        for name in input_files:
            for line in text_problems.txt_line_iterator(name):
                yield {"inputs": line, "targets": line}


@pytest.mark.parametrize(
    ("per_split", "read"),
    [(True, [["train0", "train1", "train2"], ["train3", "train4"], ["eval0", "eval1"]]),
     (False, [["train0", "train1"], ["train2", "train3"], ["train4"]])],
)  # fmt: skip
def test_each_task_reads_its_share_and_writes_its_shard(per_split: bool, read: Any, tmp_path: Path) -> None:
    problem, folder = Shares(tmp_path, per_split), str(tmp_path)
    shares = [problem._task_id_to_input_files(task) for task in range(3)]
    assert [[os.path.basename(name) for name in share] for share in shares] == read
    assert [problem._task_id_to_output_split(task) for task in range(3)] == [
        ("train", 2, 0), ("train", 2, 1), ("eval", 1, 0),
    ]  # fmt: skip
    with pytest.raises(AssertionError, match="from 0 to 2"):
        problem.generate_data(folder, folder)
    with pytest.raises(ValueError, match="there is no file"):
        problem.generate_data(folder, folder, task_id=0)
    texts = list(problem.generate_text_for_vocab(folder, folder))
    training = [name for share in read[:2] for name in share]
    assert texts[::2] == [f"{name[:-1]} {name[-1]}" for name in training]
    encoder = get_or_generate_vocab_inner(folder, problem.vocab_filename, 60, texts)
    for task in range(3):
        problem.generate_data(folder, folder, task)
    written = [path for split, size in (("train", 2), ("eval", 1)) for path in problem.data_filepaths(
        split, folder, size, shuffled=True)]  # fmt: skip
    assert [os.path.basename(path) for path in written] == [
        "shares-train-00000-of-00002", "shares-train-00001-of-00002", "shares-dev-00000-of-00001",
    ]  # fmt: skip
    for path, share in zip(written, read, strict=True):
        found = [encoder.decode(record["inputs"][:-1]) for record in read_records(path)]
        assert sorted(found) == [f"{name[:-1]} {name[-1]}" for name in share]


def test_more_shards_than_input_files_are_refused(tmp_path: Path) -> None:
    problem = Shares(tmp_path, per_split=False)
    problem.names[DatasetSplit.TRAIN] = problem.names[DatasetSplit.TRAIN][:2]
    with pytest.raises(AssertionError, match="2 input files are too few for 3 shards"):
        problem._task_id_to_input_files(0)


def test_shards_are_named_by_problem_and_split() -> None:
    assert generator_utils.train_data_filenames("tea", "d", 2) == [
        os.path.join("d", f"tea-train-0000{shard}-of-00002") for shard in range(2)
    ]
    assert Small().dev_filepaths("d", 1, shuffled=True) == [os.path.join("d", "small-dev-00000-of-00001")]


def test_a_name_may_be_given_to_a_problem() -> None:
    problem = Small()
    assert problem.name == "small"
    problem.name = "tea"
    assert problem.filepattern("", "eval") == "tea-dev*"
    assert Small().name == "small"
