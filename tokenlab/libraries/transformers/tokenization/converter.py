"""`Converter`: builds the pipeline of a fast tokenizer from a slow one, one component at a time.

Adds: the step of each component, with the statement of the slow tokenizer that it replaces; the assembly; and the
    families whose vocabulary is a file of tokens: BERT (WordPiece), GPT-2 and RoBERTa (byte-level BPE).
Leaves out: the families with a SentencePiece model (`convert_slow_tokenizer`).

Source: transformers 4.26.1, convert_slow_tokenizer.py (`Converter`, `BertConverter`, `GPT2Converter`,
`RobertaConverter`).
"""

from __future__ import annotations

import inspect
from collections.abc import Generator, Mapping
from importlib import import_module
from typing import Any, ClassVar, Literal

from tokenlab.libraries.tokenizers import decoders, normalizers, pre_tokenizers, processors
from tokenlab.libraries.tokenizers.components.component import Component
from tokenlab.libraries.tokenizers.components.sequence import members
from tokenlab.libraries.tokenizers.models import BPE, WordPiece
from tokenlab.libraries.tokenizers.models.model import Model
from tokenlab.libraries.tokenizers.normalizers import Replace
from tokenlab.libraries.tokenizers.processors import PostProcessor
from tokenlab.libraries.transformers.tokenization.backend_tokenizer import BackendTokenizer
from tokenlab.printing.printable import Parts, SymbolPart
from tokenlab.steps.recording import overridable, step

PACKAGE = "tokenlab.libraries.transformers."


@step
class SlowCode:
    """A statement of a slow tokenizer: the qualified name of its function, and a part of one of its lines."""

    function: str
    statement: str

    def sentence(self) -> Parts:
        """Name the statement and its function."""
        return [SymbolPart(self.statement), f" in {'.'.join(self.function.rsplit('.', 2)[1:])}"]

    @property
    def line(self) -> str:
        """The whole line, without its indent.

        >>> SlowCode("models.bert.tokenization_bert.BertTokenizer._tokenize", "wordpiece").line
        'pieces_of = self.wordpiece_tokenizer.tokenize'
        """
        lines = inspect.getsource(inspect.unwrap(_found(self.function))).splitlines()
        found = next((line for line in lines if self.statement in line), None)
        if found is None:
            raise ValueError(f"{self.function} has no line with {self.statement!r}")
        return found.strip()


def _found(function: str) -> Any:
    """Return the function with a qualified name, in this package."""
    module, cls, name = function.rsplit(".", 2)
    found = inspect.getattr_static(getattr(import_module(PACKAGE + module), cls), name)
    return getattr(found, "plain", found)


@step
class ComponentBuilt:
    """A component of the pipeline, and the statements of the slow tokenizer that it replaces."""

    field: Literal["model", "normalizer", "pre_tokenizer", "post_processor", "decoder"]
    component: str
    replaces: tuple[SlowCode, ...]

    @property
    def type(self) -> str:
        """The type of the component."""
        return self.component.partition("(")[0]

    def sentence(self) -> Parts:
        """Name the component, and the statements that it replaces."""
        replaced: Parts = [part for code in self.replaces for part in (", and ", *code.sentence())][1:]
        built: Parts = [f"the {self.field} is ", SymbolPart(self.type, "new")]
        return [*built, ", and replaces ", *(replaced or ["no single line of the slow tokenizer"])]


class Converter:
    """Builds the pipeline for one slow tokenizer. `converted.steps()` yields each component."""

    # The statements that the components replace, by field, by type, or for normalizers by `normalizer_key`.
    replaced: ClassVar[Mapping[str, tuple[SlowCode, ...]]] = {}

    def __init__(self, original_tokenizer: Any) -> None:
        self.original_tokenizer = original_tokenizer

    def converted(self) -> Any:
        """Return the pipeline; a subclass may be stepwise or not."""
        raise NotImplementedError(f"{type(self).__name__} should have a converted")

    def assemble(self, model: Model, **components: Any) -> Generator[ComponentBuilt, None, BackendTokenizer]:
        """Yield each component when it is set, and return the tokenizer; None is not set.

        Args:
            model: the model.
            components: `normalizer`, `pre_tokenizer`, `post_processor` and `decoder`, in the order of their setting.
        """
        tokenizer = BackendTokenizer(model)
        yield self._built("model", "model", model)
        for field, component in components.items():
            if component is None:
                continue
            setattr(tokenizer, field, component)
            if field == "normalizer":
                for member in members(component):
                    yield self._built(field, normalizer_key(member), member)
            else:
                yield self._built(field, field, component)
        return tokenizer

    def _built(self, field: Any, key: str, component: Component) -> ComponentBuilt:
        replaced = self.replaced.get(key) or self.replaced.get(component._type, ())
        return ComponentBuilt(field, str(component), replaced)


def normalizer_key(normalizer: Component) -> str:
    """Return the key of a normalizer in `Converter.replaced`: its type, and the text that it replaces.

    >>> normalizer_key(Replace("``", '"'))
    'Replace ``'
    """
    fields = normalizer.to_json()
    return " ".join(
        [fields["type"], *fields["pattern"].values()] if isinstance(normalizer, Replace) else [fields["type"]]
    )


# --- BERT -----------------------------------------------------------------------------------------

BERT = "models.bert.tokenization_bert.BertTokenizer"
BASIC = "models.bert.tokenization_bert.BasicTokenizer"
LAYOUT = "tokenization.sequence_layouts.ClsSepLayout.build_inputs_with_special_tokens"


class BertConverter(Converter):
    """Builds the pipeline of a BertTokenizer."""

    replaced: ClassVar[Mapping[str, tuple[SlowCode, ...]]] = {
        "model": (SlowCode(f"{BERT}._tokenize", "self.wordpiece_tokenizer.tokenize"),),
        "BertNormalizer": (
            SlowCode(f"{BASIC}.tokenize", "self._clean_text"),
            SlowCode(f"{BASIC}._split_word", "lower"),
        ),
        "pre_tokenizer": (SlowCode(f"{BASIC}.tokenize", "whitespace_tokenize(text)"),),
        "post_processor": (SlowCode(LAYOUT, "start + token_ids_0 + end"),),
        "decoder": (SlowCode(f"{BERT}.convert_tokens_to_string", '" ##"'),),
    }

    @overridable
    def converted(self) -> Generator[ComponentBuilt, None, BackendTokenizer]:
        """Return the pipeline."""
        slow = self.original_tokenizer
        basic = getattr(slow, "basic_tokenizer", None)  # not set with do_basic_tokenize=False
        cls, sep = str(slow.cls_token), str(slow.sep_token)
        return (
            yield from self.assemble(
                WordPiece(dict(slow.vocab), unk_token=str(slow.unk_token)),
                normalizer=normalizers.BertNormalizer(
                    clean_text=True,
                    handle_chinese_chars=basic is not None and basic.tokenize_chinese_chars,
                    strip_accents=basic is not None and basic.strip_accents,
                    lowercase=basic is not None and basic.do_lower_case,
                ),
                pre_tokenizer=pre_tokenizers.BertPreTokenizer(),
                post_processor=processors.TemplateProcessing(
                    single=f"{cls}:0 $A:0 {sep}:0",
                    pair=f"{cls}:0 $A:0 {sep}:0 $B:1 {sep}:1",
                    special_tokens=[(cls, slow.cls_token_id), (sep, slow.sep_token_id)],
                ),
                decoder=decoders.WordPiece(prefix="##"),
            )
        )


# --- byte-level BPE: GPT-2 and RoBERTa ------------------------------------------------------------

GPT2 = "models.gpt2.tokenization_gpt2.GPT2Tokenizer"
SLOW = "models.gpt2.tokenization_gpt2.ByteLevelBPE"
BYTE_LEVEL_CODE = {
    "model": (SlowCode(f"{SLOW}._tokenize", "self.bpe("),),
    "pre_tokenizer": (
        SlowCode(f"{SLOW}._tokenize", "self.pat"),
        SlowCode(f"{SLOW}._tokenize", "SYMBOLS_OF_WORD[word]"),
    ),
    "decoder": (SlowCode(f"{SLOW}.convert_tokens_to_string", "byte_decoder"),),
}


class ByteLevelConverter(Converter):
    """Builds the pipeline of a slow tokenizer with byte-level BPE; a subclass knows the post-processor."""

    @overridable
    def converted(self) -> Generator[ComponentBuilt, None, BackendTokenizer]:
        """Return the pipeline."""
        slow = self.original_tokenizer
        return (
            yield from self.assemble(
                self._model(),
                pre_tokenizer=pre_tokenizers.ByteLevel(add_prefix_space=slow.add_prefix_space),
                decoder=decoders.ByteLevel(),
                post_processor=self._post_processor(),
            )
        )

    def _model(self) -> BPE:
        """Return the BPE model with the vocabulary and the merges of the slow tokenizer."""
        return BPE(
            dict(self.original_tokenizer.encoder),
            list(self.original_tokenizer.bpe_ranks),
            dropout=None,
            continuing_subword_prefix="",
            end_of_word_suffix="",
            fuse_unk=False,
        )

    def _post_processor(self) -> PostProcessor:
        raise NotImplementedError(f"{type(self).__name__} should have a _post_processor")


class GPT2Converter(ByteLevelConverter):
    """Builds the pipeline of a GPT2Tokenizer."""

    replaced: ClassVar[Mapping[str, tuple[SlowCode, ...]]] = {
        **BYTE_LEVEL_CODE,
        "TemplateProcessing": (SlowCode(f"{GPT2}.build_inputs_with_special_tokens", "start + token_ids_0"),),
    }

    def _post_processor(self) -> PostProcessor:
        slow = self.original_tokenizer
        if not slow.add_bos_token:
            return processors.ByteLevel(trim_offsets=False)  # changes nothing
        bos = slow.bos_token
        return processors.TemplateProcessing(
            single=f"{bos}:0 $A:0", pair=f"{bos}:0 $A:0 $B:1", special_tokens=[(bos, slow.bos_token_id)]
        )


class RobertaConverter(ByteLevelConverter):
    """Builds the pipeline of a RobertaTokenizer."""

    replaced: ClassVar[Mapping[str, tuple[SlowCode, ...]]] = {
        **BYTE_LEVEL_CODE,
        "post_processor": (SlowCode(LAYOUT, "self._separators_between"),),
    }

    def _post_processor(self) -> PostProcessor:
        slow = self.original_tokenizer
        return processors.RobertaProcessing(
            sep=(slow.sep_token, slow.sep_token_id),
            cls_token=(slow.cls_token, slow.cls_token_id),
            add_prefix_space=slow.add_prefix_space,
            trim_offsets=True,
        )
