"""The whitespace next to added tokens, as slow tokenizers remove it.

Leaves out: finding the tokens in a text; see `trie`.

Source: transformers 4.26.1, tokenization_utils.py (`PreTrainedTokenizer.tokenize`).
"""

from __future__ import annotations

from collections.abc import Collection, Mapping

from tokenlab.libraries.transformers.tokenization.added.added_token import AddedToken


def strip_around_added_tokens(
    parts: list[str], tokens: Collection[str], behaviours: Mapping[str, AddedToken]
) -> list[str]:
    """Remove the whitespace next to tokens that strip it; a plain string strips both sides.

    >>> strip_around_added_tokens(["a ", "<m>", " b"], {"<m>"}, {})
    ['a', '<m>', 'b']
    >>> strip_around_added_tokens(["a ", "<m>", " b"], {"<m>"}, {"<m>": AddedToken("<m>", lstrip=True)})
    ['a', '<m>', ' b']
    """
    parts = list(parts)
    for index, part in enumerate(parts):
        if part not in tokens:
            continue
        behaviour = behaviours.get(part)
        if index + 1 < len(parts) and (behaviour is None or behaviour.rstrip):
            parts[index + 1] = parts[index + 1].lstrip()
        if index > 0 and (behaviour is None or behaviour.lstrip):
            parts[index - 1] = parts[index - 1].rstrip()
    return [part for part in parts if part]
