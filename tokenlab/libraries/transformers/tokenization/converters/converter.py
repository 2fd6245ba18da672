"""`Converter`: builds the pipeline of a fast tokenizer from a slow one, one component at a time.

Adds: the step of each component, with the statement of the slow tokenizer that it replaces; and the assembly.
Leaves out: the components of a family, which are in the family's file.

Source: transformers 4.26.1, convert_slow_tokenizer.py (`Converter`).
"""

from __future__ import annotations

import inspect
from collections.abc import Generator, Mapping
from importlib import import_module
from typing import Any, ClassVar, Literal

from tokenlab.libraries.tokenizers.components.component import Component
from tokenlab.libraries.tokenizers.components.sequence import members
from tokenlab.libraries.tokenizers.models.model import Model
from tokenlab.libraries.tokenizers.normalizers import Replace
from tokenlab.libraries.transformers.tokenization.backend.backend_tokenizer import BackendTokenizer
from tokenlab.printing.printable import printable
from tokenlab.steps.recording import step

PACKAGE = "tokenlab.libraries.transformers."


@step
class SlowCode:
    """A statement of a slow tokenizer: the qualified name of its function, and a part of one of its lines."""

    function: str
    statement: str

    def __str__(self) -> str:
        name = ".".join(self.function.rsplit(".", 2)[1:])
        return f"{printable(self.statement)} in {name}"

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

    def __str__(self) -> str:
        replaced = ", and ".join(map(str, self.replaces)) or "nothing"
        return f"{self.field}: {printable(self.component)} replaces {replaced}"


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
