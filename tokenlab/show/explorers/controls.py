"""Controls of an explorer as plain values: text boxes, lists to choose from, boxes to tick, and sliders.

Adds: what a control accepts, its range, and the callbacks for a changed value.
Leaves out: how a control looks; JupyterLab (`widgets`), a page (`Explorer.state`) and a stored notebook (`stored`) have
a front end each.

>>> size = IntSlider("vocab_size", 9, 1, 300)
>>> size.observe(lambda old, new: print(f"from {old} to {new}"))
>>> size.max = 5
from 9 to 5
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, ClassVar

Observer = Callable[[Any, Any], None]  # takes the old and the new value


class Control:
    """A named value that a learner changes."""

    kind: ClassVar[str]
    types: ClassVar[tuple[type, ...]]
    expected: ClassVar[str]  # in messages

    def __init__(self, label: str, value: Any) -> None:
        """Take the name that a learner sees, and the first value."""
        self.label = label
        self.wide = False  # whether it spans all columns
        self.redraw: Callable[[], None] = lambda: None  # set by a front end; called after each change by the program
        self._shown = True
        self._observers: list[Observer] = []
        self._value = self.accepted(value)

    @property
    def value(self) -> Any:
        """The value; assigning another one calls the observers in the order in which they were registered."""
        return self._value

    @value.setter
    def value(self, value: Any) -> None:
        self.assign(value, self.redraw)

    def assign(self, value: Any, redraw: Callable[[], None] = lambda: None) -> None:
        """Change the value; a front end that shows it already calls this function, and needs no `redraw`."""
        old, self._value = self._value, self.accepted(value)
        if self._value != old:
            redraw()
            for observer in self._observers:
                observer(old, self._value)

    @property
    def shown(self) -> bool:
        """Whether a front end shows the control."""
        return self._shown

    @shown.setter
    def shown(self, shown: bool) -> None:
        self._shown = shown
        self.redraw()

    def observe(self, callback: Observer) -> None:
        """Call a function with the old and the new value after each change."""
        self._observers.append(callback)

    def accepted(self, value: Any) -> Any:
        """Return the value as this control stores it.

        Raises:
            ValueError: the control cannot have this value.
        """
        if not isinstance(value, self.types) or (isinstance(value, bool) and bool not in self.types):
            given = f"{value!r:.60} is a {type(value).__name__}"
            raise ValueError(f"{self.label}={given}; give {self.expected}")
        return value

    def check(self) -> None:
        """Raise a ValueError for a value that the learner should change; most controls have none."""

    def from_json(self, given: Any) -> Any:
        """Return the value for what a page sends.

        Raises:
            ValueError: the page could not have sent it, because the control has no such value.
        """
        return self.accepted(given)

    def state(self) -> dict[str, Any]:
        """Return what a page needs to draw the control, as JSON data."""
        return {"kind": self.kind, "label": self.label, "value": self.value, "shown": self.shown}


class TextBox(Control):
    """A box for a line of text."""

    kind, types, expected = "text_box", (str,), "a text"


class TextArea(TextBox):
    """A box for several lines of text."""

    kind = "text_area"


class Checkbox(Control):
    """A box to tick."""

    kind, types, expected = "checkbox", (bool,), "True or False"

    def __init__(self, label: str, value: bool = True) -> None:
        super().__init__(label, value)


class Slider(Control):
    """A slider; its value stays between its ends."""

    def __init__(self, label: str, value: float, least: float, most: float, step: float = 1) -> None:
        """Take the name, the first value, the two ends, and the distance of two values.

        Raises:
            ValueError: `least` is above `most`, or a number has the wrong type.
        """
        self.label = label
        self._min, self._max = self._ends(least, most)
        self.step = step
        super().__init__(label, value)

    @property
    def min(self) -> Any:
        """The smallest value; a smaller value is raised to it."""
        return self._min

    @min.setter
    def min(self, least: float) -> None:
        ends = self._ends(least, self._max)
        self.value = max(least, self.value)
        self._min, _ = ends
        self.redraw()

    @property
    def max(self) -> Any:
        """The largest value; a larger value is lowered to it."""
        return self._max

    @max.setter
    def max(self, most: float) -> None:
        ends = self._ends(self._min, most)
        self.value = min(most, self.value)
        _, self._max = ends
        self.redraw()

    def _ends(self, least: float, most: float) -> tuple[float, float]:
        if super().accepted(least) > super().accepted(most):
            raise ValueError(f"{self.label}: min={least} is above max={most}; set the other end first")
        return least, most

    def accepted(self, value: Any) -> Any:
        """Return the number, or the nearer end if it is outside of the range."""
        return min(max(super().accepted(value), self._min), self._max)

    def from_json(self, given: Any) -> Any:
        """Return the number; it must be between the ends."""
        if not self._min <= super().accepted(given) <= self._max:
            raise ValueError(f"{self.label}={given!r:.60} is not between {self._min} and {self._max}")
        return given

    def state(self) -> dict[str, Any]:
        """Add the ends and the step."""
        return super().state() | {"min": self.min, "max": self.max, "step": self.step}


class IntSlider(Slider):
    """A slider for integers."""

    kind, types, expected = "int_slider", (int,), "an integer"


class FloatSlider(Slider):
    """A slider for all numbers between its ends."""

    kind, types, expected = "float_slider", (int, float), "a number"

    def __init__(
        self, label: str, value: float, least: float, most: float, step: float = 0.1, format: str = ".2f"
    ) -> None:
        """Take what `Slider` takes, and the format of the number beside the slider."""
        super().__init__(label, value, float(least), float(most), float(step))
        self.format = format

    def accepted(self, value: Any) -> float:
        """Return the number as a float between the ends."""
        return float(super().accepted(value))

    def state(self) -> dict[str, Any]:
        """Add the format."""
        return super().state() | {"format": self.format}


class Choice(Control):
    """A list to choose from; without a value, the first option is chosen, and without options, the value is None."""

    kind = "choice"

    def __init__(self, label: str, options: Mapping[str, Any] | Iterable[Any], value: Any = None) -> None:
        """Take the name, the options, and the chosen value.

        Args:
            label: the name.
            options: values; or pairs of a label and a value, or a mapping of labels to values.
            value: the value that is chosen at first; None for the first option.
        """
        self.label = label
        self._set_options(options)
        super().__init__(label, next(iter(self._values), None) if value is None else value)

    def _set_options(self, options: Mapping[str, Any] | Iterable[Any]) -> None:
        self._options = tuple(options.items() if isinstance(options, Mapping) else options)
        is_pair = all(isinstance(option, tuple) and len(option) == 2 for option in self._options)
        pairs = [option if is_pair else (option, option) for option in self._options]
        self.labels = tuple(str(label) for label, _ in pairs)
        self._values = tuple(value for _, value in pairs)

    @property
    def options(self) -> tuple[Any, ...]:
        """The options as they were given; if others are assigned, the value stays if it is still one of them."""
        return self._options

    @options.setter
    def options(self, options: Mapping[str, Any] | Iterable[Any]) -> None:
        self._set_options(options)
        if self._value in self._values:
            self.redraw()
        else:
            self.value = next(iter(self._values), None)

    @property
    def index(self) -> int | None:
        """The index of the chosen option, or None without options."""
        return self._values.index(self._value) if self._values else None

    def accepted(self, value: Any) -> Any:
        """Return the value if it is one of the options."""
        if not self._values and value is None:
            return None
        if value not in self._values:
            raise ValueError(f"{self.label}={value!r:.60} is no option; give one of {self._values!r:.200}")
        return self._values[self._values.index(value)]

    def from_json(self, given: Any) -> Any:
        """Return the value of the option with this index."""
        if not isinstance(given, int) or isinstance(given, bool) or not 0 <= given < len(self._values):
            raise ValueError(
                f"{self.label}={given!r:.60} is not the index of an option; it has {len(self._values)}, counted from 0"
            )
        return self._values[given]

    def state(self) -> dict[str, Any]:
        """Give the options by their labels, and the value by its index: some values are not JSON data."""
        return super().state() | {"value": self.index, "options": [*self.labels]}


class SelectionSlider(Choice):
    """A slider with a few named positions."""

    kind = "selection_slider"
