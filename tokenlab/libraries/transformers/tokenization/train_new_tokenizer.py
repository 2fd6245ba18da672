"""`train_new_tokenizer`: the pipeline of a fast tokenizer with another vocabulary, learned from texts.

Adds: the pipeline without its vocabulary; the special tokens, which may get new names, in the trainer, the
    post-processor and the attributes of the tokenizer.
Leaves out: the training itself (`tokenlab.libraries.tokenizers.trainers`).

Source: transformers 4.26.1, tokenization_utils_fast.py (`train_new_from_iterator`).
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

from tokenlab.libraries.tokenizers.pre_tokenizers import ByteLevel
from tokenlab.libraries.tokenizers.trainers import BpeTrainer, UnigramTrainer, WordLevelTrainer, WordPieceTrainer
from tokenlab.libraries.transformers.tokenization.added_token import FLAGS, AddedToken
from tokenlab.libraries.transformers.tokenization.backend_tokenizer import BackendTokenizer

MODEL_TO_TRAINER_MAPPING: dict[str, Any] = {
    "BPE": BpeTrainer,
    "Unigram": UnigramTrainer,
    "WordLevel": WordLevelTrainer,
    "WordPiece": WordPieceTrainer,
}
Json = dict[str, Any]
Names = Mapping[str, str]


def train_new_tokenizer(
    tokenizer: Any,
    texts: Iterable[Any],
    vocab_size: int,
    length: int | None,
    new_special_tokens: list[Any] | None,
    special_tokens_map: Names | None,
    options: Json,
) -> Any:
    """Return a tokenizer of the same class; see `PreTrainedTokenizerFast.train_new_from_iterator`."""
    names = special_tokens_map or {}
    fields: Json = json.loads(tokenizer.backend_tokenizer.to_str())
    added, post_processor = fields.pop("added_tokens"), fields.pop("post_processor")
    unknown = _remove_vocabulary(fields["model"], names)
    pipeline = BackendTokenizer.from_str(json.dumps(fields))
    special = [*_special_tokens(added, fields["model"]["type"], names), *(new_special_tokens or [])]
    trainer = MODEL_TO_TRAINER_MAPPING[fields["model"]["type"]](
        vocab_size=vocab_size, special_tokens=special, **_trainer_options(fields, unknown, options)
    )
    pipeline.train_from_iterator(texts, length=length, trainer=trainer)
    if post_processor is not None:
        _rename_in_post_processor(post_processor, names, pipeline)
        pipeline = BackendTokenizer.from_str(
            json.dumps({**json.loads(pipeline.to_str()), "post_processor": post_processor})
        )
    return type(tokenizer)(tokenizer_object=pipeline, **_arguments(tokenizer, names, new_special_tokens))


def _remove_vocabulary(model: Json, names: Names) -> str | None:
    """Empty the vocabulary of a model and rename its unknown token; return the unknown token of a Unigram model.

    Raises:
        ValueError: there is no trainer for such a model.
    """
    unknown = None
    match model["type"]:
        case "BPE":
            model["vocab"], model["merges"] = {}, []
        case "Unigram" if model["unk_id"] is not None:
            unknown = model["vocab"][model["unk_id"]][0]
            unknown = names.get(unknown, unknown)
            model["unk_id"], model["vocab"] = 0, [[unknown, 0.0]]
        case "WordLevel" | "WordPiece":
            model["vocab"] = {}
        case "Unigram":
            pass
        case other:
            raise ValueError(
                f"a model of type {other!r} cannot be trained; "
                f"there are trainers for {', '.join(MODEL_TO_TRAINER_MAPPING)}"
            )
    if model.get("unk_token") in names:
        model["unk_token"] = names[model["unk_token"]]
    return unknown


def _special_tokens(added: list[Json], model_type: str, names: Names) -> list[AddedToken]:
    """Return the special tokens among the added ones, with their new names; for Unigram, all added tokens."""
    return [
        AddedToken(names.get(token["content"], token["content"]), **{name: token[name] for name in FLAGS})
        for token in added
        if token["special"] or model_type == "Unigram"
    ]


def _trainer_options(fields: Json, unknown: str | None, options: Json) -> Json:
    """Return the arguments of the trainer: those that are given, and those that follow from the pipeline."""
    model = fields["model"]
    if model["type"] == "BPE":
        affixes = ("continuing_subword_prefix", "end_of_word_suffix")
        options = {name: model[name] for name in affixes if model[name] is not None} | options
    if model["type"] == "Unigram" and unknown is not None:
        options = options | {"unk_token": unknown}
    if (fields["pre_tokenizer"] or {}).get("type") == "ByteLevel":
        options = options | {"initial_alphabet": ByteLevel.alphabet()}
    return options


def _rename_in_post_processor(fields: Json, names: Names, pipeline: BackendTokenizer) -> None:
    """Give the special tokens of a post-processor their new names and their new ids."""
    for special in fields.get("special_tokens", {}).values():
        special["tokens"] = [names.get(token, token) for token in special["tokens"]]
        special["ids"] = [pipeline.token_to_id(token) for token in special["tokens"]]
    for field in ("cls", "sep"):
        if field in fields:
            token = names.get(fields[field][0], fields[field][0])
            fields[field] = [token, pipeline.token_to_id(token)]


def _arguments(tokenizer: Any, names: Names, new_special_tokens: list[Any] | None) -> Json:
    """Return the arguments of the class for the new tokenizer: those of the old one, with renamed special tokens."""
    arguments = dict(tokenizer.init_kwargs)
    for name in tokenizer.SPECIAL_TOKENS_ATTRIBUTES:
        value = getattr(tokenizer, f"_{name}")
        if name != "additional_special_tokens" and value is not None:
            content = names.get(str(value), str(value))
            flags = {flag: getattr(value, flag) for flag in FLAGS} if isinstance(value, AddedToken) else None
            arguments[name] = content if flags is None else AddedToken(content, **flags)
    additional = [*tokenizer.additional_special_tokens, *(new_special_tokens or [])]
    return arguments | ({"additional_special_tokens": additional} if additional else {})
