"""The gallery of the first page: small players of one text, each with a link to its lesson."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from publish.lessons import Lesson
from publish.live.cells import STORED, makes_explorer
from publish.shell import PLAYER_HERE, PLAYER_SCRIPT, PLAYER_STYLE, without_kernel
from tokenlab.show.gallery import LONGEST, PICTURES, Picture, picture

TEXT = "Ada reads happily"  # what the pictures play at first
FORM = f"""<form class="tokenlab-live gallery-text" autocomplete=off><fieldset disabled>
<label>Your name, or a few words <input name=text maxlength={LONGEST} placeholder="{TEXT}" required></label>
<button>Play</button></fieldset></form>"""


def gallery(lessons: Sequence[Lesson], live: bool) -> str:
    """Return the gallery as HTML.

    Args:
        lessons: the lessons of the site, to which the pictures link.
        live: whether the page has Python, which plays the reader's text.
    """
    by_name = {lesson.name: lesson for lesson in lessons}
    figures = "\n".join(_figure(name, made, by_name.get(made.lesson), live) for name, made in PICTURES.items())
    return f"<div id=tokenlab-gallery>{FORM if live else ''}\n<div class=gallery>\n{figures}\n</div></div>"


def _figure(name: str, made: Picture, lesson: Lesson | None, live: bool) -> str:
    title = escape(made.title)
    if lesson:
        number = explorer_number(lesson, made.explorer) if live and made.explorer else 0
        carries = f" data-explorer={number} data-value={made.value}" if number else ""
        title = f'<a href="{lesson.name}.html"{carries}>{title}</a>'
    player = picture(name, TEXT).html.replace(PLAYER_STYLE, "").replace(PLAYER_SCRIPT, PLAYER_HERE)
    return f"<section class=picture data-name={name}><h2>{title}</h2>\n{without_kernel(player)}\n</section>"


def explorer_number(lesson: Lesson, function: str) -> int:
    """Return the number of the first explorer of a lesson's page that this function made, counted from 1; 0 if none."""
    number = 0
    for cell in lesson.notebook.cells:
        if cell.cell_type == "code" and makes_explorer(cell.source):
            number += sum(STORED in output.get("data", {}).get("text/html", "") for output in cell.outputs)
            if f"{function}(" in cell.source:
                return number
    return 0
