"""Smaller cases with the same difference, and their text for a person."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator
from typing import Any

Json = Any
ATTEMPTS = 300  # of smaller cases for one difference


def smallest(difference: Any, same: Callable[[Json], Any]) -> Any:
    """Remove parts of a difference's case as long as the difference stays the same.

    Args:
        difference: a Difference.
        same: returns the same kind of difference in another case, or None.
    """
    attempts = 0
    shrinking = True
    while shrinking and attempts < ATTEMPTS:
        shrinking = False
        for smaller in smaller_cases(difference.case, difference.number):
            attempts += 1
            found = same(smaller)
            if found is not None:
                difference, shrinking = found, True
                break
            if attempts >= ATTEMPTS:
                break
    return difference


def smaller_cases(case: Json, number: int) -> Iterator[Json]:
    """Yield cases in which something is missing: other calls, added tokens, options, then parts of the call."""
    calls, setup = case["calls"], case["setup"]
    if number < len(calls):
        yield case | {"calls": calls[:number]}
    kept = calls[:number]
    if number > 1:
        yield case | {"calls": kept[-1:]}
    for index in range(number - 1):
        yield case | {"calls": kept[:index] + kept[index + 1 :]}
    for name in ("added", "options"):
        for smaller in smaller_values(setup[name]):
            yield {"setup": setup | {name: smaller}, "calls": kept}
    if kept:
        method, arguments, options = kept[-1]
        for smaller in smaller_values(options):
            yield case | {"calls": [*kept[:-1], [method, arguments, smaller]]}
        for position, argument in enumerate(arguments):
            for smaller in smaller_values(argument):
                replaced = [*arguments[:position], smaller, *arguments[position + 1 :]]
                yield case | {"calls": [*kept[:-1], [method, replaced, options]]}


def smaller_values(value: Json) -> Iterator[Json]:
    """Yield values with parts missing; special values keep their kind."""
    if isinstance(value, str):
        if len(value) > 3:
            yield value[: len(value) // 2]
            yield value[len(value) // 2 :]
        if 1 < len(value) <= 40:
            yield from (value[:index] + value[index + 1 :] for index in range(len(value)))
    elif isinstance(value, list):
        if len(value) > 3:
            yield value[: len(value) // 2]
            yield value[len(value) // 2 :]
        if len(value) <= 40:
            yield from (value[:index] + value[index + 1 :] for index in range(len(value)))
        for index, each in enumerate(value):
            for smaller in smaller_values(each):
                yield [*value[:index], smaller, *value[index + 1 :]]
    elif isinstance(value, dict):
        if "!" not in value:
            yield from ({key: value[key] for key in value if key != name} for name in value)
        for name, each in value.items():
            if isinstance(each, str) or name == "model_input_names" or value.get("!") == "result":
                continue  # a part of an option's value is another value
            for smaller in smaller_values(each):
                yield value | {name: smaller}
        if value.get("!") == "result":
            yield from (value | {"of": calls} for calls in smaller_chains(value["of"]))


def smaller_chains(calls: list[Json]) -> Iterator[list[Json]]:
    """Yield chains whose first call is smaller."""
    method, arguments, options = calls[0]
    for smaller in smaller_values(options):
        yield [[method, arguments, smaller], *calls[1:]]
    for smaller in smaller_values(arguments):
        if len(smaller) == len(arguments):
            yield [[method, smaller, options], *calls[1:]]


def place(theirs: Json, ours: Json) -> str:
    """Return the names on the way to the first difference of two results, without positions."""
    if isinstance(theirs, dict) and isinstance(ours, dict):
        if theirs.keys() != ours.keys():
            return "type"
        for name in theirs:
            if theirs[name] != ours[name]:
                rest = place(theirs[name], ours[name])
                return ".".join(filter(None, ("" if name in ("of", "returned") else str(name), rest)))
    if isinstance(theirs, list) and isinstance(ours, list):
        if len(theirs) != len(ours):
            return "length"
        for one, other in zip(theirs, ours, strict=True):
            if one != other:
                named = len(theirs) == 2 and isinstance(theirs[0], str) and theirs[0] == ours[0]
                rest = place(one, other)
                return ".".join(filter(None, (theirs[0] if named else "", rest)))
    return "" if type(theirs) is type(ours) else f"{type(theirs).__name__}/{type(ours).__name__}"


# --- text -----------------------------------------------------------------------------------------------


def pasted(case: Json, number: int, theirs: Json, ours: Json) -> str:
    """Return a case as lines of Python, and the two answers."""
    setup = case["setup"]
    kind = setup["class"] + (".from_pretrained" if setup["pretrained"] else "")
    lines = [f"tokenizer = {kind}({arguments_of(setup['args'], setup['options'])})"]
    lines += [f"tokenizer.{name}({arguments_of(given, {})})" for name, given in setup["added"]]
    lines += [line_of("tokenizer", call) for call in case["calls"][:number]]
    return "\n".join([*lines, f"#   4.26.1: {answer_of(theirs)}", f"#   ours:   {answer_of(ours)}"])


def line_of(subject: str, call: Json) -> str:
    """Return a call as a line of Python."""
    name, arguments, options = call
    if name.startswith("="):
        return f"{subject}.{name[1:]} = {python(arguments[0])}"
    if name == "result":
        return python(arguments[0], subject)
    if name == "len":
        return f"len({subject})"
    dotted = subject if name == "__call__" else f"{subject}.{name}"
    if name == "as_target_tokenizer":
        return f"with {dotted}(): {subject}({arguments_of(arguments, options)})"
    return f"{dotted}({arguments_of(arguments, options)})"


def arguments_of(arguments: list[Json], options: Json) -> str:
    return ", ".join([*map(python, arguments), *(f"{name}={python(value)}" for name, value in options.items())])


def python(value: Json, subject: str = "tokenizer") -> str:
    """Return a value of a case as Python."""
    if isinstance(value, list):
        return f"[{', '.join(map(python, value))}]"
    if not isinstance(value, dict):
        return ascii(value) if isinstance(value, str) and not value.isprintable() else repr(value)
    if "!" not in value:
        return "{" + ", ".join(f"{name!r}: {python(each)}" for name, each in value.items()) + "}"
    kind = value["!"]
    if kind == "file":
        return f"folder / {value['path']!r}"
    if kind == "AddedToken":
        return f"AddedToken({arguments_of([value['content']], value['options'])})"
    if kind == "strategy":
        return f"{value['class']}({value['of']!r})"
    if kind == "tensor":
        return f"{value['module']}.{'array' if value['module'] == 'numpy' else 'tensor'}({value['of']})"
    if kind == "result":
        for call in value["of"]:
            subject = f"{subject}[{call[1]!r}]" if call[0] == "[]" else line_of(subject, call)
        return subject
    return f"{kind}({python(value['of'])})"


def answer_of(answer: Json) -> str:
    if "raised" in answer:
        return f"{answer['raised'][0]}: {answer.get('message', '')!r}"
    return shortened(readable(copy.deepcopy(answer["returned"])))


def readable(value: Json) -> Json:
    """Return a result without what makes it long to read: encodings if there are ids."""
    if isinstance(value, dict) and value.get("!") == "BatchEncoding":
        first = (value["encodings"] or [None])[0]
        extra = {"tokens": first["of"]["tokens"], "offsets": first["of"]["offsets"]} if first else {}
        return {"BatchEncoding": {name: readable(each) for name, each in value["of"]}} | extra
    if isinstance(value, dict) and value.get("!") == "tuple":
        return tuple(readable(each) for each in value["of"])
    return [readable(each) for each in value] if isinstance(value, list) else value


def shortened(value: Json) -> str:
    text = repr(value)
    return text if len(text) < 1200 else f"{text[:800]} ... {text[-300:]}"
