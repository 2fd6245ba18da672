"""Adapt what a lesson says to its learner in JupyterLab to those who read it as a page, which has no kernel.

The players work on a page; running cells, typing text into an explorer and checking a solution do not. A sentence that
only says to run a cell is left out, and others say that they mean JupyterLab.
"""

from __future__ import annotations

import re

from tokenlab.show.player import HOW_TO_TRUST

CODE = r"(?ms)^(?:```|~~~).*?^(?:```|~~~)[ \t]*$|`[^`\n]*`"
BEGIN = r"(?P<begin>(?:\A|(?<=[.:?!)*>])\s|\n\s*\n)\s*(?:\*\*)?)"  # what comes before a sentence
CELL = r"(?:the|this|each)(?:\s+next)?\s+cell"
RULES = [
    (r"Run\s+each\s+cell\s+as\s+you\s+reach\s+it(?:\s+\(Shift\s+and\s+Enter\))?\.\s*", ""),
    (r"\*\*To\s+run\s+a\s+cell,[^*]*\*\*\s*", ""),
    (r"Run\s+the\s+next\s+cell:[^.]*\.\s*(?:\(Do\s+that[^)]*\)\s*)?", ""),
    (rf"Run\s+{CELL}(?:,|\s+and)\s+(?P<verb>[a-z])", lambda found: found["verb"].upper()),
    (r"\b(?P<before>[Bb]efore)\s+you\s+run(?:\s+(?:it|the\s+cell))?\b", r"\g<before> you look at the output"),
    (r"\b(?P<word>Then|Finally),?\s+(?P<verb>change)\b", r"\g<word>, in JupyterLab, \g<verb>"),
    (
        rf"{BEGIN}(?P<first>[A-Z])(?P<rest>un\s+(?:it\b(?!\s+again)|{CELL}\b)|[^.:?!`\n]*(?:\n[^.:?!`\n]+)?\brun\s+{CELL}\b)",
        lambda found: f"{found['begin']}In JupyterLab, {found['first'].lower()}{found['rest']}",
    ),
]
TYPING = [  # where nothing answers what is typed
    (r"\b(?P<word>Then|Finally),?\s+type\b", r"\g<word>, in JupyterLab, type"),
    (rf"{BEGIN}Type\b", r"\g<begin>In JupyterLab, type"),
]


def for_readers(markdown: str, live: bool = False) -> str:
    """Return the Markdown of a cell as it is on a page; on a live page, readers can type their own text.

    >>> for_readers("Run the cell and step. Type a word. Replace the dots and run the cell: it checks itself.")
    'Step. In JupyterLab, type a word. In JupyterLab, replace the dots and run the cell: it checks itself.'
    >>> for_readers("Type a word.", live=True)
    'Type a word.'
    """
    code: list[str] = []

    def keep(found: re.Match[str]) -> str:
        code.append(found[0])
        return f"\ue902{len(code) - 1}\ue903"

    text = re.sub(CODE, keep, markdown)
    for pattern, new in [*RULES, *([] if live else TYPING)]:
        text = re.sub(pattern, new, text)
    text = re.sub("In JupyterLab, in JupyterLab, ", "In JupyterLab, ", text)
    return re.sub("\ue902([0-9]+)\ue903", lambda place: code[int(place[1])], text)


# An answer that is not written yet, and the hint of a stored explorer: what they say is for JupyterLab.
OUTPUTS = {
    "Not written yet.": "For you to write.",
    "Write in place of the three dots, then run the cell again.": "Open the lesson in JupyterLab to write and check "
    "your answer.",
    "Run this cell to ": "Open the lesson with <code>make lab</code> to ",
    f" To see the map, {HOW_TO_TRUST}": "",  # a page shows the map
}


def output_for_readers(html: str) -> str:
    """Return the HTML of an output as it is on a page."""
    for said, new in OUTPUTS.items():
        html = html.replace(said, new)
    return html
