"""`changed`: a component of a pipeline with other settings, which a fast tokenizer got as arguments.

Source: transformers 4.26.1, models/{bert,gpt2,roberta}/tokenization_*_fast.py.
"""

from __future__ import annotations

from typing import Any

from tokenlab.libraries.tokenizers.components.component import Component


def changed(component: Any, **settings: Any) -> Any:
    """Return a component with those of the settings that its type has; the same one if none is different.

    Raises:
        TypeError: the pipeline has no such component.

    >>> from tokenlab.libraries.tokenizers.normalizers import NFC, BertNormalizer
    >>> changed(BertNormalizer(), lowercase=False), changed(NFC(), lowercase=False)
    (BertNormalizer(clean_text=True, handle_chinese_chars=True, strip_accents=None, lowercase=False), NFC())
    """
    if component is None:
        raise TypeError(
            f"the pipeline, such as a tokenizer.json of another family, has no component for {', '.join(settings)}; "
            "load it as a PreTrainedTokenizerFast"
        )
    if not isinstance(component, Component):
        return component
    fields = component.to_json()
    known = {name: value for name, value in settings.items() if name in fields}
    if all(fields[name] == value for name, value in known.items()):
        return component
    return type(component).from_json(fields | known)
