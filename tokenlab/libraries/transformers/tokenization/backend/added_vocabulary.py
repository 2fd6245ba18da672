"""`AddedVocabulary` with the rules of tokenizers 0.13.3, which transformers 4.26.1 runs with.

Adds: the differences from `tokenlab.libraries.tokenizers`, which has the rules of 0.23.3:
- An added token that the model knows is matched in texts only if it is special; 0.23.3 matches it always.
- The count of new tokens omits tokens that the model or the vocabulary already has, even if their flags are new.
- A token that was special once remains special, although its flag in tokenizer.json is that of the last time it was
  added. The flag `normalized` of the first time decides in which pass it is matched, the others are those of the last.
- The token of an id is its text; in 0.23.3, the normalized text.
- Another normalizer does not change the texts that are matched, until the next token is added.
Leaves out: the matching of one pass (`algorithms.pipeline.added_tokens`).

Source: tokenizers 0.13.3, src/tokenizer/added_vocabulary.rs.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from tokenlab.algorithms.pipeline.added_tokens import AddedTokenRule
from tokenlab.libraries.tokenizers.added_token import AddedToken
from tokenlab.libraries.tokenizers.added_vocabulary import AddedVocabulary, Patterns

if TYPE_CHECKING:
    from tokenlab.libraries.tokenizers.models.model import Model
    from tokenlab.libraries.tokenizers.normalizers.normalizer import Normalizer


class LegacyAddedVocabulary(AddedVocabulary):
    """The added tokens of a fast tokenizer. `ids` has only the tokens that the model does not know."""

    def __init__(self) -> None:
        super().__init__()
        self._matched_special: dict[str, AddedToken] = {}  # by their texts, as they were added the first time
        self._matched_others: dict[str, AddedToken] = {}
        self._rules: dict[bool, dict[str, AddedTokenRule]] = {False: {}, True: {}}  # by the flag `normalized`
        self._special_texts: set[str] = set()

    def add(self, tokens: Iterable[AddedToken], model: Model, normalizer: Normalizer | None) -> int:
        """Add tokens, and return the number of those that are new to the model and the vocabulary."""
        given = [(token.content, token.special, token.copy()) for token in tokens if token.content]
        known = {content: model.token_to_id(content) for content, _, _ in given}
        size, before = model.get_vocab_size(), len(self.ids)
        for content, special, token in given:
            if special and content not in self.special:
                self.special.add(content)
                self._matched_special[content] = token
        for content, _, token in given:
            id = self.ids.get(content, known[content])
            if id is None:
                id = self.ids[content] = size + len(self.ids)
                if content not in self.special:
                    self._matched_others[content] = token
            self.tokens[id] = token
        self._match(model, normalizer)
        return len(self.ids) - before

    def _match(self, model: Model, normalizer: Normalizer | None) -> None:
        """Set the texts that are matched in the two passes; of equal texts, the rule of the first one is kept."""
        self._rules, self._special_texts = {False: {}, True: {}}, set()
        matched = [*self._matched_special.items(), *self._matched_others.items()]
        in_model = {content: model.token_to_id(content) for content, _ in matched}
        for content, token in matched:
            id = self.ids.get(content, in_model[content])
            assert id is not None, "a matched token is in one of the vocabularies"
            last, text = self.tokens[id], content
            if token.normalized and normalizer is not None:
                text = normalizer.normalize_str(text)
            rule = AddedTokenRule(id, last.single_word, last.lstrip, last.rstrip)
            self._rules[token.normalized].setdefault(text, rule)
            if content in self.special:
                self._special_texts.add(text)
        self._refresh_patterns()

    def _refresh_patterns(self) -> None:
        as_text = self._special_texts if self.encode_special_tokens else ()
        self.patterns = Patterns(self._rules[False], self._rules[True], frozenset(as_text))

    def refresh(self, normalizer: Normalizer | None) -> None:
        """Keep the texts that are matched, although the tokenizer was given another normalizer."""
