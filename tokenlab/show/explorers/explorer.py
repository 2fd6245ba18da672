"""Explorer: controls and a player; a change of a control records the algorithm again and updates the player.

Adds: the message about invalid input, and `state` and `change`, by which a page shows and changes the controls.
Leaves out: how it looks. A front end, such as that of JupyterLab (`widgets`), reads the attributes and is told when to.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cached_property
from threading import Lock
from time import perf_counter
from typing import TYPE_CHECKING, Any

from tokenlab.show.explorers.controls import Control
from tokenlab.show.frames import Html
from tokenlab.show.player import Player
from tokenlab.steps.recording import Recording

if TYPE_CHECKING:
    from tokenlab.show.explorers.widgets import ExplorerWidget

WIDGET = "application/vnd.jupyter.widget-view+json"
LONG = 0.2  # seconds of a computation after which the next one is announced


class Explorer:
    """Controls, and the player for the recording of their values.

    Attributes:
        controls: the controls by the names of the arguments.
        player: the player for the last valid values.
        data: its frames as JSON; "" before there are any.
        message: what is wrong with the values; "" if they are valid.
        answers: HTML that is shown between the controls and the player; "" for none.

    >>> from tokenlab.show.explorers.controls import TextBox
    >>> spell = lambda word: Recording("spell", {}, tuple(word), word)
    >>> explorer = Explorer(spell, word=TextBox("word", "hug"))
    >>> explorer.change({"word": "pun"})
    >>> print(explorer.player)
    1. p
    2. u
    3. n
    """

    def __init__(
        self,
        record: Callable[..., Recording[Any, Any]],
        opened: int | Callable[[Recording[Any, Any]], int] = 0,
        predict: bool = True,
        answer: Callable[[Recording[Any, Any]], Html] | None = None,
        **controls: Any,
    ) -> None:
        """Take a function that returns a recording, and a control for each of its arguments.

        Args:
            record: returns the recording that is shown.
            opened: the frame at which each recording is opened, or a function of the recording; -1 is the last.
            predict: whether the player asks questions at first.
            answer: returns HTML about the recording, which is shown between the controls and the player.
            controls: a control for each argument name.
        """
        self.record = record
        self.opened = opened
        self.controls: dict[str, Control] = controls
        self.player = Player([])
        self.data = self.message = self.answers = ""
        self.answer = answer
        self._predict = predict
        self._observers: list[Callable[[bool], None]] = []
        self._seconds = 0.0  # of the last computation
        self._changing = False
        self._lock = Lock()  # callbacks may come from several threads at once
        self._update()
        for control in controls.values():
            control.observe(self._update)

    def observe(self, callback: Callable[[bool], None]) -> None:
        """Call a function with True before a computation that is probably long, and with False after each one."""
        self._observers.append(callback)

    def _update(self, *_: Any) -> None:
        if self._changing:
            return
        with self._lock:
            began = perf_counter()
            # Each message before the figure delays it, so short computations are not announced.
            if self._seconds > LONG:
                self._tell(True)
            values = {name: control.value for name, control in self.controls.items()}
            try:
                for control in self.controls.values():
                    control.check()
                recording = self.record(**values)
                opened = self.opened(recording) if callable(self.opened) else self.opened
                self.answers = self.answer(recording) if self.answer else ""
                self.player = recording.play(opened=opened, predict=self._predict)
            except (ValueError, TypeError) as error:
                self.message = str(error) or type(error).__name__
            else:
                self.data, self.message = self.player.data, ""
            finally:
                self._tell(False)
                self._seconds = perf_counter() - began

    def _tell(self, busy: bool) -> None:
        for callback in self._observers:
            callback(busy)

    def state(self) -> dict[str, Any]:
        """Return the controls, the player's data, and the message as JSON data, for a page."""
        controls = [{"name": name, **control.state()} for name, control in self.controls.items()]
        return {"controls": controls, "data": self.data, "message": self.message}

    def change(self, values: Mapping[str, Any]) -> None:
        """Set the values of some controls, and compute once.

        Args:
            values: JSON data by the names of the controls: the index of the option for a choice and for a selection
                slider, and the value for every other control. They are set in the order of the controls, because the
                range of a slider may depend on a text before it.

        Raises:
            ValueError: there is no such control, or it cannot have this value. Nothing is changed then.
        """
        for name in values:
            if name not in self.controls:
                raise ValueError(f"there is no control {name!r:.60}; there are {', '.join(self.controls)}")
        before = {name: control.value for name, control in self.controls.items()}
        self._changing = True
        try:
            for name, control in self.controls.items():
                if name in values:
                    control.value = control.from_json(values[name])
        except ValueError:
            for name, value in before.items():
                self.controls[name].value = value
            raise
        finally:
            self._changing = False
        self._update()

    @cached_property
    def widget(self) -> ExplorerWidget:
        """The controls, the message and the player in JupyterLab."""
        from tokenlab.show.explorers.widgets import ExplorerWidget

        return ExplorerWidget(self)

    def _ipython_display_(self) -> None:
        """Display the widget, and below it what is stored for the time when its kernel has ended."""
        from IPython.display import display

        # In one output, JupyterLab would prefer the widget even if it cannot show it.
        display({WIDGET: self.widget._repr_mimebundle_()[WIDGET]}, raw=True)  # type: ignore[no-untyped-call]
        display(self._repr_mimebundle_(), raw=True)  # type: ignore[no-untyped-call]

    def _repr_mimebundle_(self, **_: Any) -> dict[str, str]:
        """Return the player that needs no kernel, below the disabled controls."""
        from tokenlab.show.explorers.stored import disabled_controls

        stored = self.player._repr_mimebundle_()
        stored["text/html"] = disabled_controls(self.controls) + stored["text/html"]
        return stored
