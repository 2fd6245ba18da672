"""Map model names to encodings.

Source: tiktoken 0.14, tiktoken/model.py; a parity test compares the tables.
"""

from __future__ import annotations

from tokenlab.libraries.tiktoken.core import Encoding
from tokenlab.libraries.tiktoken.registry import get_encoding
from tokenlab.printing.errors import lookup

# subtle: the first matching prefix decides, so the order matters.
MODEL_PREFIX_TO_ENCODING: dict[str, str] = {
    **dict.fromkeys(("o1-", "o3-", "o4-mini-", "gpt-5", "gpt-4.5-", "gpt-4.1-"), "o200k_base"),
    **dict.fromkeys(("chatgpt-4o-", "gpt-4o-"), "o200k_base"),
    **dict.fromkeys(("gpt-4-", "gpt-3.5-turbo-", "gpt-35-turbo-"), "cl100k_base"),
    "gpt-oss-": "o200k_harmony",
    # fine-tuned models
    "ft:gpt-4o": "o200k_base",
    **dict.fromkeys(("ft:gpt-4", "ft:gpt-3.5-turbo", "ft:davinci-002", "ft:babbage-002"), "cl100k_base"),
}

_O200K = ("o1", "o3", "o4-mini", "gpt-5", "gpt-4.1", "gpt-4o")
_CL100K = ("gpt-4", "gpt-3.5-turbo", "gpt-3.5", "gpt-35-turbo", "davinci-002", "babbage-002")
_EMBEDDINGS = ("text-embedding-ada-002", "text-embedding-3-small", "text-embedding-3-large")
_P50K = ("text-davinci-003", "text-davinci-002", "code-davinci-002", "code-davinci-001")
_P50K_CODE = ("code-cushman-002", "code-cushman-001", "davinci-codex", "cushman-codex")
_P50K_EDIT = ("text-davinci-edit-001", "code-davinci-edit-001")
_R50K = ("text-davinci-001", "text-curie-001", "text-babbage-001", "text-ada-001", "davinci", "curie", "babbage", "ada")
_SIMILARITY = tuple(f"text-similarity-{name}-001" for name in ("davinci", "curie", "babbage", "ada"))
_SEARCH = tuple(f"text-search-{name}-doc-001" for name in ("davinci", "curie", "babbage", "ada"))
_CODE_SEARCH = tuple(f"code-search-{name}-code-001" for name in ("babbage", "ada"))

MODEL_TO_ENCODING: dict[str, str] = {
    **dict.fromkeys(_O200K, "o200k_base"),
    **dict.fromkeys(_CL100K + _EMBEDDINGS, "cl100k_base"),
    **dict.fromkeys(_P50K + _P50K_CODE, "p50k_base"),
    **dict.fromkeys(_P50K_EDIT, "p50k_edit"),
    **dict.fromkeys(_R50K + _SIMILARITY + _SEARCH + _CODE_SEARCH, "r50k_base"),
    **dict.fromkeys(("gpt2", "gpt-2"), "gpt2"),
}


def encoding_name_for_model(model_name: str) -> str:
    """Return the name of a model's encoding; a name with the prefix of a known model family is known as well.

    Raises:
        KeyError: the model is unknown; the message names the nearest.

    >>> encoding_name_for_model("gpt-4o"), encoding_name_for_model("gpt-4-0314")
    ('o200k_base', 'cl100k_base')
    """
    if model_name in MODEL_TO_ENCODING:
        return MODEL_TO_ENCODING[model_name]
    for prefix, encoding_name in MODEL_PREFIX_TO_ENCODING.items():
        if model_name.startswith(prefix):
            return encoding_name
    try:
        return lookup("model_name", model_name, MODEL_TO_ENCODING)
    except ValueError as error:
        raise KeyError(f"{error}; or name an encoding yourself: get_encoding('o200k_base')") from None


def encoding_for_model(model_name: str) -> Encoding:
    """Return the encoding of a model.

    Raises:
        KeyError: the model is unknown; the message names the nearest.
        ValueError, ConnectionError: as `get_encoding`.
    """
    return get_encoding(encoding_name_for_model(model_name))
