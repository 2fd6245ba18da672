"""What lessons 05 to 08 say of published tokenizers and do not print, computed from the stored facts."""

from __future__ import annotations

from tokenlab.laboratory.real_tokenizers import real_tokenizer, text, texts

NAMES = [name for named in texts().values() for name in named]


def restored(tokenizer: str, names: list[str]) -> list[str]:
    return [name for name in names if real_tokenizer(tokenizer).decoded(name) == text(name)]


def test_lesson_05_cased_bert_keeps_capitals_and_accents_and_uncased_bert_does_not() -> None:
    for name, uncased in (("title case", "definitely separate"), ("composed", "cafe")):
        assert real_tokenizer("BERT, uncased").decoded(name) == uncased
        assert restored("BERT, cased", [name]) == [name]
    for bert in ("BERT, uncased", "BERT, cased"):
        assert [token.symbol for token in real_tokenizer(bert).tokens("one emoji")] == ["[UNK]"]


def test_lesson_08_t5_and_mt5_lose_every_line_break_and_llama_2_and_mistral_7b_none() -> None:
    broken = [name for name in NAMES if "\n" in text(name)]
    assert len(broken) == 12
    assert restored("T5", broken) == restored("mT5", broken) == []
    assert restored("Llama 2", broken) == restored("Mistral 7B", broken) == broken
    assert "\n" not in "".join(real_tokenizer(one).decoded(name) for one in ("T5", "mT5") for name in broken)


def test_lesson_08_mt5_and_llama_2_have_byte_fallback_and_mt5_turns_a_raised_2_into_2() -> None:
    assert [real_tokenizer(one).byte_fallback for one in ("T5", "mT5", "Llama 2")] == [False, True, True]
    assert real_tokenizer("T5").normalizer == real_tokenizer("mT5").normalizer == "nmt_nfkc"
    assert real_tokenizer("Mistral 7B").normalizer == "identity"
    for one in ("T5", "mT5"):
        assert real_tokenizer(one).decoded("a formula") == "E = mc2 and a2 + b2 = c2"


def test_lesson_08_llama_2_changes_only_a_text_with_its_special_piece() -> None:
    (changed,) = {*NAMES} - {*restored("Llama 2", NAMES)}
    assert "<s>" in text(changed) and "<s>" in real_tokenizer("Llama 2").special_tokens
    assert real_tokenizer("Llama 2").decoded(changed) == text(changed).replace("<s>", "<s> ")
