"""`RobertaProcessing`: <s> A </s>, or <s> A </s> </s> B </s>; all type ids are 0, and offsets may be trimmed."""

from __future__ import annotations

from tokenlab.libraries.tokenizers.components.arguments import Setting, check_bool
from tokenlab.libraries.tokenizers.encodings.encoding import Encoding
from tokenlab.libraries.tokenizers.processors.byte_level import with_trimmed_offsets
from tokenlab.libraries.tokenizers.processors.post_processor import PostProcessor, token_setting


class RobertaProcessing(PostProcessor):
    """Add <s> before the first sequence, </s> before the second one, and </s> after each.

    Source: tokenizers, src/processors/roberta.rs.

    >>> hug = Encoding.lazy([7], lambda: (["Ġhug"], [(0, 4)], [0]))
    >>> pair = RobertaProcessing(("</s>", 2), ("<s>", 0), add_prefix_space=False).process(hug, hug)
    >>> pair.tokens, pair.offsets[1]
    (['<s>', 'Ġhug', '</s>', '</s>', 'Ġhug', '</s>'], (1, 4))
    """

    sep = token_setting("The separator and its id.")
    cls = token_setting("The first token and its id.")
    trim_offsets = Setting(check_bool, "Whether to remove spaces from the offsets.")
    add_prefix_space = Setting(check_bool, "Whether the pre-tokenizer inserted a space at the start.")

    def __init__(
        self,
        sep: tuple[str, int],
        cls_token: tuple[str, int],
        trim_offsets: bool = True,
        add_prefix_space: bool = True,
    ) -> None:
        """Keep the settings.

        Args:
            sep: the separator and its id.
            cls_token: the first token and its id.
            trim_offsets: remove spaces at both ends of a token from its offsets.
            add_prefix_space: keep one space of the first token, which the pre-tokenizer inserted.

        Raises:
            TypeError, ValueError: a setting has a wrong type.
        """
        self.sep = sep
        self.cls = cls_token
        self.trim_offsets = trim_offsets
        self.add_prefix_space = add_prefix_space

    def added_tokens(self, is_pair: bool) -> int:
        """Return the number of special tokens that are added to a sequence, or to a pair."""
        return 4 if is_pair else 2

    def process_encodings(self, encodings: list[Encoding], add_special_tokens: bool) -> list[Encoding]:
        """Return the sequences with their special tokens, type id 0 and trimmed offsets."""
        if self.trim_offsets:
            encodings = [with_trimmed_offsets(encoding, self.add_prefix_space) for encoding in encodings]
        encodings = [encoding.with_type_id(0) for encoding in encodings]
        if not add_special_tokens:
            return encodings  # subtle: encodings that overflow keep their type ids here, as in the library
        zeros = [
            encoding.replaced(overflowing=encoding.mapped(lambda window: window.with_type_id(0)))
            for encoding in encodings
        ]
        return [
            *(first.surrounded([self.cls], [self.sep], type_id=0, sequence_id=0) for first in zeros[:1]),
            *(other.surrounded([self.sep], [self.sep], type_id=0, sequence_id=1) for other in zeros[1:]),
        ]
