"""The tiny T5 in data/: how it is made, in miniature; and that the shipped one is what its card says."""

from __future__ import annotations

import re
from random import Random

import pytest
import torch

from tests.scripts import script
from tokenlab import data
from tokenlab.algorithms.training_data.span_corruption import reconstruct
from tokenlab.libraries.sentencepiece import SentencePieceProcessor
from tokenlab.libraries.transformers import T5ForConditionalGeneration, T5Tokenizer
from tokenlab.libraries.transformers.models.t5.greedy_decode import greedy_decode, greedy_decode_texts
from tokenlab.libraries.transformers.training_loop import pad_batch
from tokenlab.storage import files

grammar = data.grammar()


@pytest.fixture(scope="module", autouse=True)
def one_thread():
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(threads)


@pytest.fixture(scope="module")
def t5():
    return script("data/t5-tiny/train.py")


@pytest.fixture(scope="module")
def splits(t5):
    """The sentences from which the shipped model learned, and those that were held out."""
    plan = t5.Plan()
    return grammar.splits(plan.seed, plan.sentences, plan.held_out)


@pytest.fixture(scope="module")
def model():
    return T5ForConditionalGeneration.from_pretrained(data.t5_tiny()).eval()


@pytest.fixture(scope="module")
def tokenizer():
    return T5Tokenizer.from_pretrained(data.t5_tiny())


# ---- In miniature ----

MINI = {
    "sentences": 60, "held_out": 15, "pieces": 360, "d_model": 16, "d_kv": 4, "d_ff": 16, "layers": 1, "heads": 2,
    "steps": 12, "only_gaps": 5, "batch": 4, "saved_every": 4,
}  # fmt: skip


class PowerCut(Exception):
    """The training is interrupted."""


def made(t5, folder, unfinished):
    folder.mkdir(exist_ok=True)
    t5.make(t5.Plan(**MINI), unfinished, folder)
    return {file.name: file.read_bytes() for file in folder.iterdir()}


@pytest.fixture(scope="module")
def whole(t5, tmp_path_factory):
    folder = tmp_path_factory.mktemp("whole")
    return made(t5, folder / "made", folder / "unfinished")


@pytest.mark.slow
def test_all_files_of_the_format_are_made_and_nothing_unfinished_stays(t5, whole, tmp_path):
    assert whole.keys() == {file.name for file in data.t5_tiny().glob("*.*")} - {"grammar.py", "train.py"}
    made(t5, tmp_path / "made", tmp_path / "unfinished")
    assert not (tmp_path / "unfinished").exists()


@pytest.mark.slow
@pytest.mark.parametrize("cut_at", [3, 5, 10])
def test_an_interrupted_training_gives_the_same_files(t5, whole, tmp_path, monkeypatch, cut_at):
    """Before the first checkpoint; after it, with gaps alone still to come; and among the tasks."""
    batches, read = t5.Material.batches, []

    def cut_short(material, plan, start):
        for batch in batches(material, plan, start):
            read.append(batch)
            if len(read) == cut_at:
                raise PowerCut
            yield batch

    monkeypatch.setattr(t5.Material, "batches", cut_short)
    with pytest.raises(PowerCut):
        made(t5, tmp_path / "made", tmp_path / "unfinished")
    assert list((tmp_path / "made").iterdir()) == []  # nothing half-made
    again = made(t5, tmp_path / "made", tmp_path / "unfinished")
    saved = (cut_at - 1) // 4 * 4
    assert len(read) == cut_at + 12 - saved
    assert again.keys() == whole.keys()
    assert {name for name in whole if again[name] != whole[name]} <= {"README.md"}  # the minutes may differ


@pytest.mark.slow
def test_what_was_begun_by_another_recipe_is_not_gone_on_with(t5, whole, tmp_path, monkeypatch):
    unfinished = tmp_path / "unfinished"
    monkeypatch.setattr(t5, "save_checkpoint", cut_after(t5.save_checkpoint))
    with pytest.raises(PowerCut):
        t5.make(t5.Plan(**{**MINI, "seed": 5}), unfinished, tmp_path)
    monkeypatch.undo()
    assert (unfinished / "checkpoint.pt").exists()
    again = made(t5, tmp_path / "made", unfinished)
    assert again["model.safetensors"] == whole["model.safetensors"]


def cut_after(save):
    def cut(*arguments, **progress):
        save(*arguments, **progress)
        raise PowerCut

    return cut


# ---- What it learns from ----


@pytest.fixture(scope="module")
def material(t5, tokenizer):
    return t5.Material(grammar.splits(seed=3, train=500, held_out=100), tokenizer)


def test_gaps_come_from_whole_sentences_of_one_language(material, tokenizer):
    for seed in range(30):
        with_gaps, missing = material.gaps(Random(seed))
        whole = list(reconstruct(with_gaps, missing, sentinels=material.sentinels))
        text = tokenizer.decode(whole)
        sentences = re.findall(r"[^.。?？]+[.。?？]", text)
        assert 1 <= len(sentences) <= 2
        assert any({s.strip() for s in sentences} <= set(lines) for lines in material.texts)


def test_gaps_are_anywhere(t5, material):
    """Unrolled, the mask of a short text is at its end alone."""
    random, ids = Random(3), [10, 11, 12, 13, 14, 15]
    missing = [id for _ in range(600) for id in t5.with_gaps(ids, random, material.sentinels)[1] if id in ids]
    shares = [missing.count(id) / 600 for id in ids]
    assert all(0.25 < share < 0.42 for share in shares), shares  # two of six


def test_all_tasks_and_gaps_are_mixed_in_their_shares(t5, material, tokenizer):
    random = Random(5)
    asked = [tokenizer.decode(material.mixed(random)[0]) for _ in range(3000)]
    total = sum(t5.SHARES.values())
    for task in grammar.TASKS:
        share = sum(text.startswith(task.rstrip()) for text in asked) / len(asked)
        assert abs(share - t5.SHARES[task] / total) < 0.03
    assert abs(sum("<extra_id_0>" in text for text in asked) / len(asked) - t5.SHARES[t5.GAPS] / total) < 0.03


def test_rare_kinds_of_sentences_are_read_more_often_than_their_share(t5, tokenizer):
    """One in a hundred sentences says how somebody feels, and one in eleven that are read."""
    of_frame = {
        frame: [s.english for s in grammar.sentences().values() if s.frame == frame] for frame in ("past", "feels")
    }
    sentences = of_frame["past"][:400] + of_frame["feels"][:4]
    train = [
        grammar.Example(sentence, task, next(iter(grammar.accepted(sentence, task)), ""))
        for sentence in sentences
        for task in grammar.TASKS
    ]
    material = t5.Material(grammar.Splits(train, [], {"english": sentences}), tokenizer)
    feels = {tuple(material.ids(grammar.prompt(sentence, grammar.TO_GERMAN))) for sentence in sentences[400:]}
    random, start = Random(5), tuple(material.ids(grammar.TO_GERMAN)[:-1])
    asked = [tuple(material.mixed(random)[0]) for _ in range(4000)]
    german = [ids for ids in asked if ids[: len(start)] == start]
    assert 0.06 < sum(ids in feels for ids in german) / len(german) < 0.12


# ---- The shipped one ----


def test_the_folder_is_small():
    sizes = {file.name: file.stat().st_size for file in data.t5_tiny().iterdir() if file.is_file()}
    assert sum(sizes.values()) <= 2_000_000, sizes


@pytest.mark.slow
def test_the_vocabulary_is_the_one_that_the_script_learns(t5, splits):
    assert t5.vocabulary(splits, t5.Plan().pieces) == (data.t5_tiny() / "spiece.model").read_bytes()


def test_model_and_vocabulary_fit_together(t5, model, tokenizer):
    plan = t5.Plan()
    assert len(tokenizer) == model.config.vocab_size == plan.pieces + 100
    assert tokenizer.get_sentinel_token_ids() == list(range(plan.pieces + 99, plan.pieces - 1, -1))
    assert model.dtype == torch.float32
    assert (tokenizer.pad_token_id, tokenizer.eos_token_id, tokenizer.unk_token_id) == (0, 1, 2)
    sizes = {name: getattr(model.config, name) for name in ("d_model", "d_kv", "d_ff", "num_layers", "num_heads")}
    assert list(sizes.values()) == [plan.d_model, plan.d_kv, plan.d_ff, plan.layers, plan.heads]


def test_texts_come_back_from_their_ids(tokenizer):
    for text in ("Did Tom drink tea?", "Die Ärztin öffnet die Tür.", "汤姆喝茶了吗？", "QXZ jqx"):
        assert tokenizer.decode(tokenizer(text).input_ids, skip_special_tokens=True) == text
        assert tokenizer.unk_token_id not in tokenizer(text).input_ids


def test_no_piece_reaches_over_two_chinese_words():
    known = grammar.chinese_words()
    model = SentencePieceProcessor(model_file=str(data.t5_tiny() / "spiece.model"))
    pieces = [model.id_to_piece(id).removeprefix("▁") for id in range(model.get_piece_size())]
    chinese = [piece for piece in pieces if len(piece) > 1 and "一" <= piece[0] <= "鿿"]
    assert len(chinese) > 30
    assert not [piece for piece in chinese if not any(piece in word for word in known)]


def test_the_card_has_a_row_for_each_task_and_its_share_is_what_was_counted():
    rows = re.findall(
        r"\| `(.+?)` \| ([\d,]+) \| ([\d,]+) \| ([\d.]+)% \|", files.read_text(data.t5_tiny() / "README.md")
    )
    assert [task for task, *_ in rows] == [*grammar.TASKS, "fill the gaps"]
    for task, asked, right, share in rows:
        asked, right = int(asked.replace(",", "")), int(right.replace(",", ""))
        assert f"{right / asked:.2%}" == f"{share}%"
        assert right >= (0.99 if task in grammar.TASKS else 0.8) * asked, task


@pytest.mark.slow
@pytest.mark.processor
def test_the_shipped_model_answers_as_the_card_says(t5, splits, model, tokenizer):
    """On some of the sentences held out; on all of them the script measured it."""
    answers = list(t5.ask(model, tokenizer, [(e.sentence, e.task) for e in splits.held_out[:500]]))
    for task in grammar.TASKS:
        of_task = [answer for answer in answers if answer.task == task]
        wrong = [answer for answer in of_task if not answer.right]
        assert len(of_task) >= 20 and len(wrong) <= len(of_task) // 40, wrong


@pytest.mark.slow
def test_the_shipped_model_still_fills_gaps(t5, splits, model, tokenizer):
    sentences = sorted({example.sentence for example in splits.held_out})[::20]
    filled = list(t5.fill(model, tokenizer, sentences, seed=1))
    assert sum(sentence in grammar.sentences() for sentence in filled) >= 0.8 * len(sentences)
    assert sum(one != other for one, other in zip(sentences, filled, strict=True)) > 20  # its own words, not those lost


@pytest.mark.parametrize(
    ("text", "whole"),
    [
        (
            "Tom is drinking <extra_id_0> in the kitchen.",
            r"Tom is drinking (hot |cold )?(tea|milk|water|coffee) in the kitchen\.",
        ),
        ("Anna gave the boy <extra_id_0> flowers.", r"Anna gave the boy (two|three|four)( \w+)? flowers\."),
        ("<extra_id_0> is reading a book.", r"(He|She|Anna|Tom|(The|My) \w+) is reading a book\."),
    ],
)
def test_gaps_in_the_midst_and_at_the_start_of_a_sentence_are_filled(model, tokenizer, text, whole):
    ids = tokenizer(text).input_ids
    written = greedy_decode(model, torch.tensor([ids]))[0]
    filled = tokenizer.decode(reconstruct(ids, [*written, 1], tokenizer.get_sentinel_token_ids()))
    assert re.fullmatch(whole, filled)


def test_a_sentinel_is_filled_and_the_mask_token_of_bert_is_not(model, tokenizer):
    asked = [f"The boy is buying a {gap} umbrella." for gap in ("[MASK]", "<extra_id_0>")]
    masked, filled = greedy_decode_texts(model, tokenizer, asked, skip_special_tokens=False)
    assert "<extra_id_0>" not in masked
    assert re.fullmatch(r"<extra_id_0> \w+<extra_id_1>", filled)


def test_padding_in_the_labels_changes_the_loss(model, tokenizer):
    batch = tokenizer([grammar.TO_GERMAN + text for text in ("I have a dog.", "My sister is buying a red umbrella.")])
    labels = tokenizer(["Ich habe einen Hund.", "Meine Schwester kauft einen roten Regenschirm."]).input_ids
    batch = pad_batch(list(zip(batch.input_ids, labels, strict=True)))
    right, wrong = (
        model(**batch | {"labels": labels}).loss.item() for labels in (batch["labels"], batch["labels"].clamp(min=0))
    )
    assert right < 0.1 < 1 < wrong


def test_what_fits_into_no_gap_fills_none(t5, tokenizer, monkeypatch):
    ids = tokenizer.sp_model.encode("tea")
    monkeypatch.setattr(t5, "write", lambda model, texts: [ids for _ in texts])
    assert list(t5.fill(None, tokenizer, ["He has a dog."], seed=1)) == [""]


def test_card_lists_what_is_wrong(t5, model):
    answers = [
        t5.Answer("He has a dog.", grammar.TO_GERMAN, "Er hat ein Hund."),
        t5.Answer("He has a cat.", grammar.TO_GERMAN, "Er hat eine Katze."),
    ]
    filled = [("He has a dog.", "He has a dog."), ("He has a cat.", "He has a dog."), ("I am sad.", "")]
    card = t5.card(t5.Plan(), model, {"seconds": 90.0, "processor": 60.0}, answers, filled)
    assert "| `translate English to German: ` | 2 | 1 | 50.00% |" in card
    assert "translate English to German: He has a dog. *Er hat ein Hund.* (right: *Er hat einen Hund.*)" in card
    assert "eine Katze" not in card
    assert "| `fill the gaps` | 3 | 2 | 66.67% |" in card and ": 1 texts are the" in card
    assert "mixed in the proportions 6 : 4 : 1.5 : 0.5 : 2: translate English to German, translate" in card
    assert "1.5 minutes by the clock, 1.0 of processor time; 1 thread" in card
