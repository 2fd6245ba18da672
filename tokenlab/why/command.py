"""The command `why`: its arguments, where the text comes from, and what it prints or writes.

An error of the user is one line, and the exit status is 2.
"""

from __future__ import annotations

import argparse
import json
import shutil
import sys
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from tokenlab.printing.printable import readable
from tokenlab.printing.text_layout import hanging, safe, wrapped
from tokenlab.show import LONGEST as PLAYED
from tokenlab.storage.files import read_text, write_atomically
from tokenlab.why.compare import compare
from tokenlab.why.decode_ids import decode_ids, ids_report, parse_ids
from tokenlab.why.explanation import Explainer
from tokenlab.why.load import KINDS, Options, load
from tokenlab.why.report import choose_words, page, played, report

NARROWEST, WIDEST = 60, 100  # columns
ERRORS = (ArithmeticError, AssertionError, ImportError, LookupError, OSError, RuntimeError, TypeError, ValueError)
DESCRIPTION = (
    "Show which tokens a text becomes, and why: what every stage changed, and for each pre-token the merges (BPE), the "
    "lookups (WordPiece, subtokens) or the best segmentations (Unigram). Without --text, --file and --ids, the text is "
    "read from standard input."
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command to a parser."""
    parser.description = DESCRIPTION
    add = parser.add_argument
    add(
        "--tokenizer", required=True, metavar="PATH",
        help="tokenizer.json, .tiktoken, sentencepiece .model, BERT's vocab.txt, a file of subtokens, or a folder of "
        "transformers; its content decides, not its name",
    )  # fmt: skip
    given = parser.add_mutually_exclusive_group()
    given.add_argument("--text", help="the text")
    given.add_argument(
        "--file", help="a UTF-8 file with the text, which is not changed: its last line end belongs to it"
    )
    given.add_argument("--ids", help="ids to decode instead of a text, such as '15339 1917'")
    add("--word", metavar="TEXT", help="explain only this pre-token of the text")
    add("--max-words", type=_number, metavar="N", help="explain at most N different pre-tokens (0: all)")
    add("--max-tokens", type=_number, metavar="N", help="list at most N tokens (0: all)")
    add(
        "--html",
        metavar="OUT.html",
        help="also write the player of this recording and of the explained pre-tokens, a page without a network",
    )
    add("--compare", metavar="PATH", help="show the first place where this tokenizer splits the text differently")
    add("--json", action="store_true", help="print the explanation as JSON")
    add("--kind", choices=KINDS, help="the kind of the file, if its content does not say")
    add("--encoding", metavar="NAME", help="for tiktoken ranks: the encoding (gpt2, cl100k_base, o200k_base, ...)")
    add(
        "--pattern", metavar="REGEX",
        help="for tiktoken ranks: split the text with this regular expression, or with the pattern of this encoding",
    )  # fmt: skip
    case = parser.add_mutually_exclusive_group()
    case.add_argument("--cased", dest="cased", action="store_true", default=None, help="for vocab.txt: keep case")
    case.add_argument("--uncased", dest="cased", action="store_false", help="for vocab.txt: convert to lower case")
    add("--ordinary", action="store_true", help="encode the text of special tokens as ordinary text")
    parser.set_defaults(run=run)


def _number(text: str) -> int:
    if not text.isdecimal():
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number; give 0 or more")
    return int(text)


def run(arguments: argparse.Namespace) -> int:
    """Run the command, and return the exit status."""
    with warnings.catch_warnings(record=True, action="always") as caught:
        try:
            lines = list(_lines(arguments))
        except ERRORS as error:
            print(f"tokenlab why: {error_sentence(error)}", file=sys.stderr)
            return 2
    for message in dict.fromkeys(str(warning.message) for warning in caught):
        print(f"tokenlab why: note: {one_line(message)}", file=sys.stderr)
    for line in lines:
        print(line)
    return 0


def _lines(arguments: argparse.Namespace) -> Iterator[str]:
    options = Options(
        arguments.kind, arguments.encoding, arguments.pattern, arguments.cased, ordinary=arguments.ordinary
    )
    explainer = load(arguments.tokenizer, options)
    width = min(max(shutil.get_terminal_size((WIDEST, 24)).columns, NARROWEST), WIDEST)
    if arguments.ids is not None:
        if arguments.html or arguments.word or arguments.compare:
            raise ValueError("--html, --word and --compare need a text; --ids has none")
        yield from _ids(explainer, arguments, width)
        return
    text = _text(arguments)
    if arguments.compare is not None:
        if arguments.html or arguments.word or arguments.json:
            raise ValueError("--compare prints the first difference; leave out --html, --word and --json")
        yield from _compared(explainer, arguments, text, width)
        return
    explanation = explainer.explain(text)
    words = choose_words(explanation, arguments.max_words, arguments.word)
    if arguments.html:
        path = Path(arguments.html)
        if path.suffix.lower() not in (".html", ".htm"):
            raise ValueError(f"--html {arguments.html!r} should end in .html")
        write_atomically(path, page(explanation, words, path.stem))
    if arguments.json:
        yield _json({"tokenizer": explainer.summary, **explanation.to_json(words)})
        return
    yield from _head(explainer, arguments, width)
    size = len(text.encode())
    told = f"Text: {_count(len(text), 'character')}, {_count(size, 'byte')} in UTF-8; offsets count characters"
    yield from wrapped(told, width)
    yield ""
    yield from report(explanation, words, arguments.max_tokens, width)
    if arguments.html:
        of = len(explanation.recording)
        steps = _count(of, "step") if of <= PLAYED else f"the first {PLAYED} of {of:,} steps"
        number = len(played(words))
        more = f", and the model's steps for {_count(number, 'pre-token')}" if number else ""
        yield ""
        yield f"{readable(arguments.html)} plays the recording ({steps}){more}."  # a path is not broken


def _compared(explainer: Explainer, arguments: argparse.Namespace, text: str, width: int) -> Iterator[str]:
    other = load(arguments.compare, Options(cased=arguments.cased, ordinary=arguments.ordinary))
    paths = [str(path) for path in (arguments.tokenizer, arguments.compare)]
    short = [Path(path).name for path in paths]
    first, second = map(readable, short if all(short) and short[0] != short[1] else paths)
    for name, one in ((first, explainer), (second, other)):
        yield from wrapped(f"{name}: {readable(one.summary)}", width)
    yield ""
    for line in compare(explainer.explain(text), other.explain(text), (first, second)):
        yield from hanging(safe(line), width)


def _ids(explainer: Explainer, arguments: argparse.Namespace, width: int) -> Iterator[str]:
    ids = parse_ids(arguments.ids)
    if arguments.json:
        rows = [asdict(one) | {"bytes": one.bytes and one.bytes.hex()} for one in decode_ids(explainer, ids)]
        yield _json({"tokenizer": explainer.summary, "ids": rows})
        return
    yield from _head(explainer, arguments, width)
    yield from ids_report(explainer, ids, width)


def _head(explainer: Explainer, arguments: argparse.Namespace, width: int) -> Iterator[str]:
    yield from wrapped(f"{readable(arguments.tokenizer)}: {readable(explainer.summary)}", width)


def _text(arguments: argparse.Namespace) -> str:
    """Return the text of --text, of a file, or of standard input.

    Raises:
        ValueError: it is not UTF-8, or has a lone surrogate.
    """
    if arguments.file is not None:
        return read_text(arguments.file)
    if arguments.text is None:
        if sys.stdin.isatty():
            print("tokenlab why: type the text; Ctrl-D (Windows: Ctrl-Z, Enter) ends it", file=sys.stderr)
        data = sys.stdin.buffer.read()
        try:
            return data.decode()
        except UnicodeDecodeError as error:
            raise ValueError(
                f"standard input is not UTF-8: byte {error.start} is 0x{data[error.start]:02x}, which is invalid there"
            ) from None
    text: str = arguments.text
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise ValueError(
            f"--text has the lone surrogate {text[error.start]!a} at {error.start}: the argument is not valid in the "
            "encoding of the terminal, and no tokenizer accepts it; give the text with --file"
        ) from None
    return text


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def _json(value: dict[str, Any]) -> str:
    return json.dumps(value, indent=1)  # ASCII only, so a terminal shows no control character


def error_sentence(error: Exception) -> str:
    """Return the message of an error as one line."""
    text = str(error.args[0]) if isinstance(error, KeyError) and error.args else str(error)
    notes = getattr(error, "__notes__", [])
    return one_line("; ".join([text or type(error).__name__, *notes]))


def one_line(text: str) -> str:
    """Return a text as one line in which control characters are visible."""
    return readable(" ".join(text.split()))


def quiet_errors(parser: argparse.ArgumentParser) -> None:
    """Make a parser report an error in one line, without the usage."""

    def error(message: str) -> None:
        parser.exit(2, f"{parser.prog}: {one_line(message)}; --help lists the arguments\n")

    parser.error = error  # type: ignore[assignment]


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command with these arguments, as `python -m tokenlab why` does."""
    parser = argparse.ArgumentParser(prog="tokenlab why", allow_abbrev=False)
    quiet_errors(parser)
    add_arguments(parser)
    return run(parser.parse_args(arguments))
