"""Programs for assignment 5: wrong ones, some of `tokenlab.misconceptions.pipeline`, and right ones in other styles.

Each is a program that a learner might write in the cell of its task. It is renamed, with its helper functions.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from itertools import accumulate, groupby, pairwise
from typing import Any
from unicodedata import category, combining, normalize

Program = Callable[..., Any]

# --- fold_text, wrong ----------------------------------------------------------------------------


def fold_by(text, replacements, **other):
    """Normalize a text with exchangeable parts."""
    on_mark = other.get("on_mark", extend)
    on_space = other.get("on_space", extend)
    is_space, is_mark = other.get("is_space", str.isspace), other.get("is_mark", combining)
    made = []
    for position, character in enumerate(text):
        if is_mark(character):
            on_mark(made, position)
        elif not is_space(character):
            made.append([replacements.get(character, character), position, position + 1])
        elif made and made[-1][0] == " ":
            on_space(made, position)
        else:
            made.append([" ", position, position + 1])
    if other.get("strip", True):
        made = made[1:] if made and made[0][0] == " " else made
        made = made[:-1] if made and made[-1][0] == " " else made
    spans_of = other.get("spans_of", lambda new, start, end: [(start, end)] * len(new))
    return "".join(new for new, _, _ in made), [span for one in made for span in spans_of(*one)]


def extend(made, position):
    if made:
        made[-1][2] = position + 1


def normalized_positions(text, replacements):
    new, _ = fold_by(text, replacements)
    return new, [(position, position + 1) for position in range(len(new))]


def byte_positions(text, replacements):
    new, spans = fold_by(text, replacements)
    return new, [(len(text[:start].encode()), len(text[:end].encode())) for start, end in spans]


def first_one_has_the_span(text, replacements):
    """Give the first character of a replacement the span, and an empty span to the others."""

    def spans_of(new, start, end):
        return [(start, end)] + [(end, end)] * (len(new) - 1)

    return fold_by(text, replacements, spans_of=spans_of)


def replacements_of_its_own(text, replacements):
    """Ignore the argument, and replace what the examples replace."""
    return fold_by(text, {"ﬁ": "fi", "ﬃ": "ffi", "Æ": "AE"})


def replaces_again(text, replacements):
    """Replace new characters as well."""
    twice = {one: "".join(replacements.get(made, made) for made in new) for one, new in replacements.items()}
    return fold_by(text, twice)


def letters_are_lowered(text, replacements):
    """Lower-case the letters that are not replaced, as many normalizers do."""
    return fold_by(text, {character: character.lower() for character in text} | replacements)


def mark_in_no_span(text, replacements):
    """Remove marks as the library does: no span contains them."""
    return fold_by(text, replacements, on_mark=lambda made, position: None)


def mark_of_the_next(text, replacements):
    """Extend the span of the character after the mark to the left."""

    def spans_of(new, start, end):
        while start > 0 and combining(text[start - 1]):
            start -= 1
        return [(start, end)] * len(new)

    new, spans = fold_by(text, replacements, on_mark=lambda made, position: None, spans_of=spans_of)
    first = len(text) - len(text.lstrip("\u0300\u0301\u0308\u0323"))
    return new, [(max(start, first), end) for start, end in spans]


def last_character_only(text, replacements):
    """Extend the span of the last new character only."""

    def on_mark(made, position):
        if made:
            new, start, end = made.pop()
            made += [[new[:-1], start, end]] if new[:-1] else []
            made.append([new[-1], start, position + 1])

    return fold_by(text, replacements, on_mark=on_mark)


def one_mark_at_most(text, replacements):
    def on_mark(made, position):
        if made:
            made[-1][2] = made[-1][1] + 2

    return fold_by(text, replacements, on_mark=on_mark)


def marks_of_the_first_word(text, replacements):
    """Extend spans up to the first space only."""
    return fold_by(text, replacements, on_mark=lambda made, at: extend([] if " " in next(zip(*made), "") else made, at))


def some_marks_only(text, replacements):
    """Know three combining marks."""
    return fold_by(text, replacements, is_mark=lambda character: character in "\u0301\u0308\u0323")


def marks_by_category(text, replacements):
    """Decide by the category of a character, which is that of a mark for more characters."""
    return fold_by(text, replacements, is_mark=lambda character: category(character)[0] == "M")


def decomposes_letters(text, replacements):
    """Decompose the letters, so that they lose their accents as well."""
    accented = {character: normalize("NFD", character)[0] for character in text}
    return fold_by(text, accented | replacements)


def first_space_only(text, replacements):
    return fold_by(text, replacements, on_space=lambda made, position: None)


def each_space_stays(text, replacements):
    def on_space(made, position):
        made.append([" ", position, position + 1])

    new, spans = fold_by(text, replacements, on_space=on_space, strip=False)
    first, last = len(new) - len(new.lstrip()), len(new.rstrip())
    return new[first:last] if new.strip() else "", spans[first:last]


def spaces_by_split(text, replacements):
    """Collapse the spaces first, and count positions in the new text."""
    return fold_by(" ".join(text.split()), replacements)


def only_one_kind_of_space(text, replacements):
    return fold_by(text, replacements, is_space=lambda character: character == " ")


def some_kinds_of_space(text, replacements):
    return fold_by(text, replacements, is_space=lambda character: character in " \t\n\u3000")


def ends_stay(text, replacements):
    return fold_by(text, replacements, strip=False)


def assumes_a_letter(text, replacements):
    """Extend the last span without checking that it exists."""

    def on_mark(made, position):
        made[-1][2] = position + 1

    return fold_by(text, replacements, on_mark=on_mark)


def first_mark_extends(text, replacements):
    """Extend the first span over a mark at the beginning."""
    new, spans = fold_by(text, replacements)
    if text and combining(text[0]) and spans:
        spans[0] = (0, spans[0][1])
    return new, spans


def strips_first(text, replacements):
    """Strip the text before counting."""
    return fold_by(text.strip(), replacements)


# --- fold_text, right ----------------------------------------------------------------------------


def fold_by_pattern(text, replacements):
    new, spans = [], []
    marks = "".join(filter(combining, text))
    for found in re.finditer(rf"(\s+)|(.)([\u0300{marks}]*)", text, re.S):
        space, letter, _ = found.groups()
        if space and found.start() > 0 and found.end() < len(text):
            new.append(" ")
            spans.append(found.span())
        elif letter and not combining(letter):
            for one in replacements.get(letter, letter):
                new.append(one)
                spans.append(found.span())
    return "".join(new), spans


def fold_by_positions(text, replacements):
    """Find the end of each character first, and its new characters afterwards."""
    length, position, made = len(text), 0, []
    kinds = [(one.isspace(), combining(one) > 0) for one in text]
    while position < length:
        end = position + 1
        if text[position].isspace():
            while end < length and text[end].isspace():
                end += 1
            if position != 0 and end != length:
                made.append((" ", (position, end)))
        elif kinds[position] == (False, False):
            while end < length and kinds[end] == (False, True):
                end += 1
            made += [(one, (position, end)) for one in replacements.get(text[position], text[position])]
        position = end
    return "".join(one for one, _ in made), tuple(span for _, span in made)


def fold_by_groups(text, replacements):
    heads, groups = [], []
    for position, character in enumerate(text):
        space = character.isspace()
        joins = combining(character) or (space and heads[-1:] == [" "])
        if joins and groups:
            groups[-1].append(position)
        elif not combining(character):
            heads.append(" " if space else replacements.get(character, character))
            groups.append([position])
    for end in (0, -1):
        if heads and heads[end] == " ":
            heads.pop(end)
            groups.pop(end)
    spans = []
    for head, group in zip(heads, groups):
        spans += [[group[0], group[-1] + 1] for _ in head]
    return ["".join(heads), spans]


# --- split_beside, wrong -------------------------------------------------------------------------


def with_spans(parts):
    """Give each part the span after that of the part before it."""
    spans, position = [], 0
    for part in parts:
        spans.append((part, (position, position + len(part))))
        position += len(part)
    return spans


def part_at(text, boundary):
    """Split a text before each position for which a condition holds."""
    bounds = [0, *(position for position in range(1, len(text)) if boundary(position)), len(text)]
    return [text[start:end] for start, end in pairwise(bounds) if start < end]


def beside(text, delimiters):
    """Return the parts by the rules."""

    def boundary(position):
        taken = position > 1 and text[position - 2] not in delimiters
        return text[position - 1] in delimiters and (text[position] in delimiters or taken)

    return part_at(text, boundary)


def merged_with_previous(text, delimiters):
    return with_spans(part_at(text, lambda position: text[position - 1] in delimiters))


def merged_with_next(text, delimiters):
    return with_spans(part_at(text, lambda position: text[position] in delimiters))


def isolated(text, delimiters):
    return with_spans(part_at(text, lambda position: {text[position - 1], text[position]} & {*delimiters}))


def contiguous(text, delimiters):
    return with_spans(
        part_at(text, lambda position: (text[position - 1] in delimiters) != (text[position] in delimiters))
    )


def removed(text, delimiters):
    found = re.finditer(f"[^{re.escape(delimiters)}]+", text)
    return [(one[0], one.span()) for one in found]


def run_with_previous(text, delimiters):
    """Merge a whole run with the part before it."""
    return with_spans(
        part_at(text, lambda position: text[position - 1] in delimiters and text[position] not in delimiters)
    )


def next_wins(text, delimiters):
    """Merge a single delimiter with the part after it."""
    return with_spans([part[::-1] for part in reversed(beside(text[::-1], delimiters))])


def middle_together(text, delimiters):
    """Keep the delimiters between the first and the last of a run together."""
    parts = []
    for part in beside(text, delimiters):
        alone = part in delimiters and parts and {*parts[-1]} <= {*delimiters}
        if alone:
            parts[-1] += part
        else:
            parts.append(part)
    return with_spans(parts)


def same_delimiters_only(text, delimiters):
    """Process the kinds of delimiters one after another."""
    parts = [text] if text else []
    for delimiter in delimiters:
        parts = [one for part in parts for one in beside(part, delimiter)]
    return with_spans(parts)


def delimiters_are_one_word(text, delimiters):
    """Search for the string of delimiters as a whole."""
    parts = beside(text.replace(delimiters, "\0"), "\0")
    return with_spans([part.replace("\0", delimiters) for part in parts])


def delimiters_are_a_pattern(text, delimiters):
    """Put the delimiters into the brackets of a pattern without escaping them."""
    found = [bool(re.match(f"[{delimiters}]", one)) for one in text]
    bounds = [n for n in range(1, len(text)) if found[n - 1] and (found[n] or (n > 1 and not found[n - 2]))]
    return with_spans([text[a:b] for a, b in pairwise([0, *bounds, len(text)]) if a < b])


def signs_are_delimiters(text, delimiters):
    """Take everything but letters and digits for a delimiter."""
    return with_spans(beside(text, delimiters + "".join(one for one in text if not one.isalnum())))


def ends_or_inside(text, delimiters):
    """Leave the inside as one part if there are delimiters at the ends."""
    inside = text.strip(delimiters)
    parts = beside(text, delimiters)
    if inside not in ("", text):
        before, after = text.partition(inside)[::2]
        parts = [*before[:-1], before[-1:] + inside + after[:1], *after[1:]]
    return with_spans(parts)


def first_ones_isolated(text, delimiters):
    """Leave the delimiters at the beginning of the text alone."""
    rest = text.lstrip(delimiters)
    return with_spans([*text[: len(text) - len(rest)], *beside(rest, delimiters)])


def last_merged_together(text, delimiters):
    """Merge all delimiters at the end with the last part."""
    rest = text.rstrip(delimiters)
    parts = beside(rest, delimiters)
    return with_spans([*parts[:-1], parts[-1] + text[len(rest) :]] if parts else [*text])


def assumes_a_character(text, delimiters):
    """Start with the first character, even if the text is empty."""
    parts, position = [text[0]], 1
    for position in range(1, len(text)):
        taken = position > 1 and text[position - 2] not in delimiters
        if text[position - 1] in delimiters and (text[position] in delimiters or taken):
            parts.append("")
        parts[-1] += text[position]
    return with_spans(parts)


def find_each_part(text, delimiters):
    """Search the text for each part."""
    return [(part, (text.find(part), text.find(part) + len(part))) for part in beside(text, delimiters)]


def positions_in_the_stripped_text(text, delimiters):
    """Count from the first character that is no delimiter."""
    before = len(text) - len(text.lstrip(delimiters))
    return [
        (part, (max(start - before, 0), end - before)) for part, (start, end) in with_spans(beside(text, delimiters))
    ]


def spans_of_bytes(text, delimiters):
    spans = with_spans([part.encode() for part in beside(text, delimiters)])
    return [(part.decode(), span) for part, span in spans]


def ends_are_inclusive(text, delimiters):
    return [(part, (start, end - 1)) for part, (start, end) in with_spans(beside(text, delimiters))]


# --- split_beside, right -------------------------------------------------------------------------


def split_by_runs(text, delimiters):
    """Give the delimiters of each run to the left and to the right part."""
    runs = [(is_one, "".join(run)) for is_one, run in groupby(text, key=lambda one: one in delimiters)]
    parts, waiting = [], ""
    for number, (is_one, run) in enumerate(runs):
        if not is_one:
            parts.append(waiting + run)
            waiting = ""
            continue
        if parts:
            parts[-1], run = parts[-1] + run[0], run[1:]
        if run and number < len(runs) - 1:
            run, waiting = run[:-1], run[-1]
        parts += run
    spans, position = [], 0
    for part in parts:
        spans.append([part, [position, position + len(part)]])
        position += len(part)
    return spans


def split_by_pattern(text, delimiters):
    signs = re.escape(delimiters)
    found = re.finditer(rf"(?:(?:^|(?<=[{signs}]))[{signs}])?[^{signs}]+[{signs}]?|[{signs}]", text)
    return tuple((one.group(), one.span()) for one in found)


def split_by_state(text, delimiters):
    """Go through the characters, and remember where a part may begin."""
    starts = []
    for position, character in enumerate(text):
        before = text[position - 1] if position else None
        if character in delimiters:
            fresh = before is None or before in delimiters
        elif before is not None and before in delimiters:
            fresh = position >= 2 and text[position - 2] not in delimiters
        else:
            fresh = position == 0
        if fresh:
            starts.append(position)
    return [(text[a:b], (a, b)) for a, b in zip(starts, [*starts[1:], len(text)])]


# --- full_windows, wrong -------------------------------------------------------------------------


def last_window_is_shorter(length, size, stride):
    """Make the last window shorter, as the library does."""
    windows = [(0, min(size, length))]
    while windows[-1][1] < length:
        start = windows[-1][1] - stride
        windows.append((start, min(start + size, length)))
    return windows


def stride_is_the_distance(length, size, stride):
    """Treat the stride as the distance between two starts."""
    if length <= size:
        return [(0, length)]
    return [(start, start + size) for start in [*range(0, length - size, max(stride, 1)), length - size]]


def no_overlap(length, size, stride):
    if length <= size:
        return [(0, length)]
    return [(start, start + size) for start in [*range(0, length - size, size), length - size]]


def window_at_every_start(length, size, stride):
    """Begin a window at every start inside the sequence, and move it to the left if it is too long."""
    if length <= size:
        return [(0, length)]
    starts = [min(start, length - size) for start in range(0, length, size - stride)]
    return [(start, start + size) for start in starts]


def last_one_twice(length, size, stride):
    """Append the last window, even if it is already in the list."""
    if length <= size:
        return [(0, length)]
    starts = [*range(0, length - size + 1, size - stride), length - size]
    return [(start, start + size) for start in starts]


def rest_is_lost(length, size, stride):
    """Drop the tokens that do not fill a window."""
    if length <= size:
        return [(0, length)]
    return [(start, start + size) for start in range(0, length - size + 1, size - stride)]


def beyond_the_end(length, size, stride):
    """Let the last window go beyond the end, as if there were padding."""
    windows = [(0, size if length > size else length)]
    while windows[-1][1] < length:
        start = windows[-1][1] - stride
        windows.append((start, start + size))
    return windows


def filled_from_the_right(length, size, stride):
    """Count from the end, so that the first window shares more tokens."""
    if length <= size:
        return [(0, length)]
    stops = [*range(length, size, stride - size), size]
    return [(stop - size, stop) for stop in reversed(stops)]


def evenly_spread(length, size, stride):
    """Let all windows share more tokens."""
    if length <= size:
        return [(0, length)]
    gaps = -(-(length - size) // (size - stride))
    starts = [number * (length - size) // gaps for number in range(gaps + 1)]
    return [(start, start + size) for start in starts]


def one_more_before_the_last(length, size, stride):
    """Insert a window between the last two if they share more than the stride."""
    windows = by_last_start(length, size, stride)
    if len(windows) > 2 and (length - size) % (size - stride) > 1:
        start = windows[-2][0] + 1
        windows.insert(-1, (start, start + size))
    return windows


def twenty_windows_at_most(length, size, stride):
    return by_last_start(length, size, stride)[:20]


def no_window_for_zero_tokens(length, size, stride):
    """Return no window for 0 tokens, as the library does."""
    return by_last_start(length, size, stride) if length else []


def short_one_is_full(length, size, stride):
    """Give a short sequence a window of the full size."""
    return by_last_start(length, size, stride) if length > size else [(0, size)]


def by_last_start(length, size, stride):
    if length <= size:
        return [(0, length)]
    starts = [*range(0, length - size, size - stride), length - size]
    return [(start, start + size) for start in starts]


# --- full_windows, right -------------------------------------------------------------------------


def windows_in_a_loop(length, size, stride):
    windows, start = [], 0
    while True:
        if start + size >= length:
            windows.append([max(length - size, 0), length])
            return windows
        windows.append([start, start + size])
        start += size - stride


def windows_by_recursion(length, size, stride):
    if length <= size:
        return ((0, length),)
    fresh = (length - size) % (size - stride) or size - stride
    return (*windows_by_recursion(length - fresh, size, stride), (length - size, length))


def windows_by_number(length, size, stride):
    number = 1 + max(0, -(-(length - size) // (size - stride)))
    stops = [min(size + n * (size - stride), length) for n in range(number)]
    return [(max(stop - size, 0), stop) for stop in stops]


# --- best_window, wrong --------------------------------------------------------------------------


def contexts_by(windows, position, context):
    """Return the context in each window that contains the position, and -1 for the others."""
    return [context(position - a, b - 1 - position) if a <= position < b else -1 for a, b in windows]


def first_with_the_token(windows, position):
    contexts = contexts_by(windows, position, lambda left, right: 0)
    return contexts.index(0)


def last_with_the_token(windows, position):
    return max(n for n, (start, stop) in enumerate(windows) if start <= position < stop)


def most_to_the_left(windows, position):
    contexts = contexts_by(windows, position, lambda left, right: left)
    return contexts.index(max(contexts))


def both_sides_together(windows, position):
    """Add the two sides, so that the largest window wins."""
    contexts = contexts_by(windows, position, lambda left, right: left + right)
    return contexts.index(max(contexts))


def larger_side(windows, position):
    contexts = contexts_by(windows, position, max)
    return contexts.index(max(contexts))


def nearest_to_the_middle(windows, position):
    """Compare distances from the middle of a window, which is right if all have the same size."""
    distances = [abs(2 * position - a - b + 1) if a <= position < b else float("inf") for a, b in windows]
    return distances.index(min(distances))


def stop_is_in_the_window(windows, position):
    """Count one token too many to the right."""
    contexts = contexts_by(windows, position, lambda left, right: min(left, right + 1))
    return contexts.index(max(contexts))


def a_second_window_exists(windows, position):
    """Begin with the better one of the first two windows."""
    contexts = contexts_by(windows, position, min)
    best = int(contexts[1] > contexts[0])
    return contexts.index(max(contexts[best:]))


def later_of_equal_windows(windows, position):
    contexts = contexts_by(windows, position, min)
    return max(n for n, context in enumerate(contexts) if context == max(contexts))


def larger_of_equal_windows(windows, position):
    """Let the size decide between windows with the same context, as BERT's code does."""
    scores = [(min(position - a, b - 1 - position), b - a) if a <= position < b else (-1, 0) for a, b in windows]
    return scores.index(max(scores))


# --- best_window, right --------------------------------------------------------------------------


def best_in_a_loop(windows, position):
    best, most = 0, -1
    for number, (start, stop) in enumerate(windows):
        context = min(position - start, stop - position - 1)
        if context > most:
            best, most = number, context
    return best


def best_by_max(windows, position):
    return max(range(len(windows)), key=lambda n: min(position - windows[n][0], windows[n][1] - 1 - position))


def best_by_sorting(windows, position):
    inside = [(n, range(*window)) for n, window in enumerate(windows) if position in range(*window)]
    return sorted((-min(window.index(position), len(window) - 1 - window.index(position)), n) for n, window in inside)[
        0
    ][1]


# --- owned_spans, wrong --------------------------------------------------------------------------


def merged_bytes(tokens, merges):
    """Merge tokens by the rules."""
    for pair in merges:
        merged = []
        for token in tokens:
            if merged and (merged[-1], token) == tuple(pair):
                token = merged.pop() + token
            merged.append(token)
        tokens = merged
    return tokens


def byte_list(text, add_space):
    return [bytes([byte]) for byte in (b" " if add_space else b"") + text.encode()]


def with_owned_spans(tokens, text, add_space):
    """Give tokens their spans by the rules."""
    first = [position + add_space for position, byte in enumerate(text.encode()) if not 128 <= byte < 192]
    stops = [0, *(sum(map(len, tokens[:number])) for number in range(1, len(tokens) + 1))]
    begun = [sum(one < stop for one in first) for stop in stops]
    return [(token, span) for token, span in zip(tokens, pairwise(begun))]


def touched_characters(text, merges, add_space):
    """Return for each token the positions of all characters of which it has a byte."""
    owners = [position for position, character in enumerate(text) for _ in character.encode()]
    owners = [-1, *owners] if add_space else owners
    position, found = 0, []
    for token in merged_bytes(byte_list(text, add_space), merges):
        found.append((token, [one for one in owners[position : position + len(token)] if one >= 0]))
        position += len(token)
    return found


def shared_spans_of_bytes(text, merges, add_space):
    """Give all tokens of a character its span, as the library does."""
    found = touched_characters(text, merges, add_space)
    return [(token, (inside[0], inside[-1] + 1) if inside else (0, 0)) for token, inside in found]


def byte_offsets(text, merges, add_space):
    """Count bytes, also those of the inserted space."""
    spans, position = [], 0
    for token in merged_bytes(byte_list(text, add_space), merges):
        spans.append((token, (position, position + len(token))))
        position += len(token)
    return spans


def last_byte_owns(text, merges, add_space):
    """Let a character belong to the token with its last byte."""
    ends, end = [], int(add_space)
    for character in text:
        end += len(character.encode())
        ends.append(end - 1)
    spans, position, start = [], 0, 0
    for token in merged_bytes(byte_list(text, add_space), merges):
        position += len(token)
        stop = sum(one < position for one in ends)
        spans.append((token, (start, stop)))
        start = stop
    return spans


def empty_span_before(text, merges, add_space):
    """Put empty spans at the start of the character."""
    found = with_owned_spans(merged_bytes(byte_list(text, add_space), merges), text, add_space)
    return [(token, span if span[0] < span[1] else (max(span[0] - 1, 0),) * 2) for token, span in found]


def empty_span_is_zero(text, merges, add_space):
    """Write `(0, 0)` for each empty span, as for a special token."""
    found = with_owned_spans(merged_bytes(byte_list(text, add_space), merges), text, add_space)
    return [(token, span if span[0] < span[1] else (0, 0)) for token, span in found]


def characters_that_can_be_decoded(text, merges, add_space):
    """Decode each token, and count the characters."""
    spans, start = [], 0
    for number, token in enumerate(merged_bytes(byte_list(text, add_space), merges)):
        length = len(token.decode(errors="ignore")) - (add_space and number == 0)
        spans.append((token, (start, start + length)))
        start += length
    return spans


def partial_character_to_the_next(text, merges, add_space):
    """Leave a character at the end of a merged token to the next one, if some of its bytes are missing."""
    spans, start = [], 0
    for number, token in enumerate(merged_bytes(byte_list(text, add_space), merges)):
        whole = len(token.decode(errors="ignore")) - (add_space and number == 0)
        begun = sum(not 128 <= byte < 192 for byte in token) - (add_space and number == 0)
        length = begun if len(token) == 1 else whole
        spans.append((token, (start, start + length)))
        start += length
    return spans


def merges_from_the_right(text, merges, add_space):
    tokens = byte_list(text, add_space)
    for left, right in merges:
        position = len(tokens) - 2
        while position >= 0:
            if tokens[position : position + 2] == [left, right]:
                tokens[position : position + 2] = [left + right]
                position -= 1
            position -= 1
    return with_owned_spans(tokens, text, add_space)


def first_occurrence_only(text, merges, add_space):
    """Merge only the first occurrence of a pair."""
    tokens = byte_list(text, add_space)
    for left, right in merges:
        for position in range(len(tokens) - 1):
            if tokens[position : position + 2] == [left, right]:
                tokens[position : position + 2] = [left + right]
                break
    return with_owned_spans(tokens, text, add_space)


def longest_token_first(text, merges, add_space):
    """Take the longest token that fits, as WordPiece does."""
    known, rest, tokens = [left + right for left, right in merges], b"".join(byte_list(text, add_space)), []
    while rest:
        fitting = [token for token in known if rest.startswith(token)]
        tokens.append(max(fitting, key=len, default=rest[:1]))
        rest = rest[len(tokens[-1]) :]
    return with_owned_spans(tokens, text, add_space)


def span_of_the_same_token(text, merges, add_space):
    """Look up the span of a merged token by the token, which may occur several times."""
    known = {}
    found = with_owned_spans(merged_bytes(byte_list(text, add_space), merges), text, add_space)
    return [(token, known.setdefault(token, span) if len(token) > 1 else span) for token, span in found]


def bytes_after_a_space(text, merges, add_space):
    """Count bytes in place of characters if a space is inserted."""
    if not add_space:
        return with_owned_spans(merged_bytes(byte_list(text, add_space), merges), text, add_space)
    return [(token, (max(a - 1, 0), b - 1)) for token, (a, b) in byte_offsets(text, merges, add_space)]


def space_is_a_character(text, merges, add_space):
    """Count positions in the text with the inserted space."""
    longer = " " * add_space + text
    return with_owned_spans(merged_bytes(byte_list(longer, False), merges), longer, False)


def space_is_not_inserted(text, merges, add_space):
    return with_owned_spans(merged_bytes(byte_list(text, False), merges), text, False)


def space_shares_the_first(text, merges, add_space):
    """Give the inserted space the span of the character after it."""
    spans = with_owned_spans(merged_bytes(byte_list(text, add_space), merges), text, add_space)
    return [(b" ", (0, 1)), *spans[1:]] if add_space and spans[0][0] == b" " else spans


def space_comes_last(text, merges, add_space):
    """Insert the space after all merges."""
    spans = with_owned_spans(merged_bytes(byte_list(text, False), merges), text, False)
    return [(b" ", (0, 0)), *spans] if add_space else spans


# --- owned_spans, right --------------------------------------------------------------------------


def spans_by_positions(text, merges, add_space):
    """Merge first, and count the first bytes afterwards."""
    raw = b" " * bool(add_space) + text.encode()
    tokens = [raw[position : position + 1] for position in range(len(raw))]
    for left, right in merges:
        position = 0
        while position + 1 < len(tokens):
            if tokens[position] == left and tokens[position + 1] == right:
                tokens[position] += tokens.pop(position + 1)
            position += 1
    found, position, characters = [], 0, 0
    for token in tokens:
        own = [byte for n, byte in enumerate(token, position) if byte >> 6 != 2 and not (add_space and n == 0)]
        found.append([token, [characters, characters + len(own)]])
        characters, position = characters + len(own), position + len(token)
    return found


def spans_by_objects(text, merges, add_space):
    """Give each byte a span, and join the spans of merged bytes."""
    items = [(b" ", (0, 0))] if add_space else []
    for position, character in enumerate(text):
        head, *rest = character.encode()
        items.append((bytes([head]), (position, position + 1)))
        items.extend((bytes([byte]), (position + 1, position + 1)) for byte in rest)
    for left, right in merges:
        kept = []
        while items:
            if len(items) > 1 and items[0][0] == left and items[1][0] == right:
                kept.append((left + right, (items[0][1][0], items[1][1][1])))
                items = items[2:]
            else:
                kept.append(items[0])
                items = items[1:]
        items = kept
    return items


def spans_by_prefixes(text, merges, add_space):
    """Count for each end of a token the characters that begin before it."""
    raw = (" " if add_space else "").encode() + text.encode()
    ends = list(range(1, len(raw) + 1))
    for left, right in merges:
        start, number = 0, 0
        while number + 1 < len(ends):
            if raw[start : ends[number]] == left and raw[ends[number] : ends[number + 1]] == right:
                del ends[number]
            start, number = ends[number], number + 1

    def begun(end):
        return max(0, sum(byte & 192 != 128 for byte in raw[:end]) - bool(add_space))

    return tuple((raw[a:b], (begun(a), begun(b))) for a, b in pairwise([0, *ends]))


# --- split_tokens, wrong -------------------------------------------------------------------------


def split_by(text, tokens, **other):
    """Split a text at added tokens, with exchangeable parts."""
    contents = other.get("contents", sorted(tokens, key=len, reverse=True))
    left, right = other.get("left", " \t"), other.get("right", " \t")
    most = other.get("most", len(text))
    matches = [found.span() for found in re.finditer("|".join(map(re.escape, contents)), text)]
    parts, done = [], 0
    for start, end in other.get("matches", matches):
        token = text[start:end]
        lstrip, rstrip = other.get("flags", lambda flags: flags)(tokens[token])
        taken = 0
        while lstrip and start > done and text[start - 1] in left and taken < most:
            start, taken = start - 1, taken + 1
        taken = 0
        while rstrip and end < len(text) and text[end] in right and taken < most:
            end, taken = end + 1, taken + 1
        parts += [(text[done:start], None), (text[start:end], token)]
        done = end
    parts.append((text[done:], None))
    return [part for part in parts if part[0]]


def first_in_the_table(text, tokens):
    """Let the order of the dictionary decide between matches at the same position."""
    return split_by(text, tokens, contents=[*tokens])


def last_in_the_table(text, tokens):
    return split_by(text, tokens, contents=[*tokens][::-1])


def case_is_ignored(text, tokens):
    matches = [found.span() for token in tokens for found in re.finditer(re.escape(token), text, re.I)]
    tokens = dict.fromkeys((text[start:end] for start, end in matches), (False, False)) | tokens
    return split_by(text, tokens)


def shortest_match(text, tokens):
    return split_by(text, tokens, contents=sorted(tokens, key=len))


def longest_anywhere(text, tokens):
    """Search the whole text for the longest content first, then for the next one."""
    matches, free = [], text
    for content in sorted(tokens, key=len, reverse=True):
        matches += [found.span() for found in re.finditer(re.escape(content), free)]
        free = free.replace(content, "\0" * len(content))
    return split_by(text, tokens, matches=sorted(matches))


def overlapping_matches(text, tokens):
    """Find tokens at every position, also inside others."""
    return split_by(
        text, tokens, matches=[(n, n + len(c)) for n in range(len(text)) for c in tokens if text[n:].startswith(c)]
    )


def contents_are_patterns(text, tokens):
    found = re.split(f"({'|'.join(sorted(tokens, key=len, reverse=True))})", text)
    return [(part, part if n % 2 else None) for n, part in enumerate(found) if part]


def ignore_lstrip(text, tokens):
    return split_by(text, tokens, flags=lambda flags: (False, flags[1]))


def ignore_rstrip(text, tokens):
    return split_by(text, tokens, flags=lambda flags: (flags[0], False))


def sides_swapped(text, tokens):
    """Take the whitespace on the left for `rstrip`, as if the token were stripped itself."""
    return split_by(text, tokens, flags=lambda flags: flags[::-1])


def one_space_at_most(text, tokens):
    return split_by(text, tokens, most=1)


def whitespace_is_lost(text, tokens):
    """Drop the whitespace that is taken."""
    return [(token or part, token) for part, token in split_by(text, tokens)]


def takes_any_space(text, tokens):
    """Take all whitespace but line breaks."""
    spaces = "".join(one for one in text if one.isspace() and one != "\n")
    return split_by(text, tokens, left=spaces, right=spaces)


def takes_line_breaks(text, tokens):
    """Take line breaks as the library does."""
    return split_by(text, tokens, left=" \t\n", right=" \t\n")


def takes_line_breaks_on_the_left(text, tokens):
    return split_by(text, tokens, left=" \t\n")


def right_token_takes_it(text, tokens):
    """Let `lstrip` of the right token win over `rstrip` of the left one."""
    parts = [[*part] for part in split_by(text, tokens)]
    for before, after in pairwise(parts):
        if before[1] and after[1] and tokens[after[1]][0]:
            kept = before[0].rstrip(" \t")
            before[0], after[0] = kept, before[0][len(kept) :] + after[0]
    return [(part, token) for part, token in parts]


def taken_twice(text, tokens):
    """Take whitespace on the left, even if the previous token has it already."""
    parts, previous = [], ""
    for part, token in split_by(text, tokens):
        taken = previous[len(previous.rstrip(" \t")) :] if token and tokens[token][0] else ""
        parts.append((taken + part, token))
        previous = part if token else ""
    return parts


def always_between(text, tokens):
    """Take the whitespace between two tokens for any flags."""
    parts = []
    for part, token in split_by(text, tokens):
        if token and len(parts) > 1 and parts[-1][1] is None and parts[-2][1] and not parts[-1][0].strip(" \t"):
            taken, _ = parts.pop()
            parts[-1] = (parts[-1][0] + taken, parts[-1][1])
        parts.append((part, token))
    return parts


# --- split_tokens, right -------------------------------------------------------------------------


def split_with_groups(text, tokens):
    """Let the pattern take the whitespace."""
    alternatives = []
    for content in sorted(tokens, key=len, reverse=True):
        lstrip, rstrip = tokens[content]
        alternatives.append(("", re.escape(content), r"[ \t]*" if rstrip else ""))
    pattern = "|".join(f"(?:{''.join(one)})" for one in alternatives)
    parts, done = [], 0
    for found in re.finditer(pattern, text):
        token = found[0].rstrip(" \t")
        before = text[done : found.start()]
        kept = before.rstrip(" \t") if tokens[token][0] else before
        parts += [[kept, None]] if kept else []
        parts.append([before[len(kept) :] + found[0], token])
        done = found.end()
    return parts + ([[text[done:], None]] if done < len(text) else [])


def split_by_characters(text, tokens):
    parts, rest = [], text
    while rest:
        token = max((content for content in tokens if rest.startswith(content)), key=len, default=None)
        if token is None:
            if not parts or parts[-1][1] is not None:
                parts.append(("", None))
            parts[-1] = (parts[-1][0] + rest[0], None)
            rest = rest[1:]
            continue
        part, rest = token, rest[len(token) :]
        if tokens[token][1]:
            stripped = rest.lstrip(" \t")
            part, rest = part + rest[: len(rest) - len(stripped)], stripped
        if tokens[token][0] and parts and parts[-1][1] is None:
            before, _ = parts.pop()
            kept = before.rstrip(" \t")
            part = before[len(kept) :] + part
            parts += [(kept, None)] if kept else []
        parts.append((part, token))
    return parts


def split_by_owners(text, tokens):
    """Give each character an owner, and group them."""
    owners = [(0, None)] * len(text)
    position = number = 0
    spans = []
    while position < len(text):
        fitting = sorted((c for c in tokens if text[position : position + len(c)] == c), key=len)
        if fitting:
            spans.append((position, position + len(fitting[-1]), fitting[-1]))
        position += len(fitting[-1]) if fitting else 1
    for number, (start, end, token) in enumerate(spans, 1):
        owners[start:end] = [(number, token)] * (end - start)
    for side, step in ((1, 1), (0, -1)):
        for number, (start, end, token) in enumerate(spans, 1):
            position = end if step == 1 else start - 1
            while (
                tokens[token][side]
                and 0 <= position < len(text)
                and text[position] in " \t"
                and owners[position][1] is None
            ):
                owners[position] = (number, token)
                position += step
    parts, position = [], 0
    for (_, token), same in groupby(owners):
        length = len(list(same))
        parts.append((text[position : position + length], token))
        position += length
    return parts


# --- entity_tags, wrong --------------------------------------------------------------------------


def shared_characters(span, entity):
    return max(0, min(span[1], entity[1]) - max(span[0], entity[0]))


def owner_by_share(span, entities):
    """Return the entity with which a token shares the most characters, or None."""
    best = max(sorted(entities), key=lambda entity: shared_characters(span, entity), default=None)
    return best if best and shared_characters(span, best) else None


def tags_by_owner(entities, offsets, owner_of):
    """Return the tags with an exchangeable rule for the entity of a token."""
    tags, begun = [], []
    for span in offsets:
        owner = owner_of(span, entities)
        if owner:
            tags.append(("I-" if owner in begun else "B-") + owner[2])
            begun.append(owner)
        else:
            tags.append("O")
    return tags


def only_inside(entities, offsets):
    """Give a token a label only if it lies inside the entity."""

    def owner_of(span, entities):
        inside = [one for one in entities if one[0] <= span[0] and span[1] <= one[1] and span[0] < span[1]]
        return inside[0] if inside else None

    return tags_by_owner(entities, offsets, owner_of)


def start_decides(entities, offsets):
    """Look only at the first character of a token."""

    def owner_of(span, entities):
        return next((one for one in entities if one[0] <= span[0] < one[1] and span[0] < span[1]), None)

    return tags_by_owner(entities, offsets, owner_of)


def touching_is_enough(entities, offsets):
    """Take the end of a span for a part of it."""

    def owner_of(span, entities):
        touching = [one for one in sorted(entities) if span[0] <= one[1] and one[0] <= span[1] and span[0] < span[1]]
        return max(touching, key=lambda one: shared_characters(span, one), default=None)

    return tags_by_owner(entities, offsets, owner_of)


def tokens_without_gaps(entities, offsets):
    """Let each token start where the token before it ends."""
    starts = [0, *accumulate((end for _, end in offsets), max)]
    joined = [(min(start, before) if start < end else start, end) for before, (start, end) in zip(starts, offsets)]
    return tags_by_owner(entities, joined, lambda span, entities: owner_by_share(span, entities))


def first_entity_wins(entities, offsets):
    """Take the entity of the first character that has a label, as the lesson does."""
    ordered = sorted(entities)
    return tags_by_owner(
        entities, offsets, lambda span, _: next((one for one in ordered if shared_characters(span, one)), None)
    )


def last_entity_wins(entities, offsets):
    ordered = sorted(entities, reverse=True)
    return tags_by_owner(
        entities, offsets, lambda span, _: next((one for one in ordered if shared_characters(span, one)), None)
    )


def given_first_wins_a_tie(entities, offsets):
    """Let the order of the list decide between equal numbers."""

    def owner_of(span, entities):
        best = max(entities, key=lambda entity: shared_characters(span, entity), default=None)
        return best if best and shared_characters(span, best) else None

    return tags_by_owner(entities, offsets, owner_of)


def characters_of_the_label(entities, offsets):
    """Add the characters of all entities with the same label."""

    def owner_of(span, entities):
        shared = {one: shared_characters(span, one) for one in sorted(entities) if shared_characters(span, one)}
        return max(shared, key=lambda one: sum(shared[other] for other in shared if other[2] == one[2]), default=None)

    return tags_by_owner(entities, offsets, owner_of)


def longest_entity_wins(entities, offsets):
    def owner_of(span, entities):
        sharing = [one for one in sorted(entities) if shared_characters(span, one)]
        return max(sharing, key=lambda one: one[1] - one[0], default=None)

    return tags_by_owner(entities, offsets, owner_of)


def label_before_decides(entities, offsets):
    """Begin with B only if the label before it is another one."""
    owners = [owner_by_share(span, entities) for span in offsets]
    labels = [owner[2] if owner else "" for owner in owners]
    return [
        "O" if not label else ("I-" if label == before else "B-") + label
        for before, label in zip(["", *labels], labels)
    ]


def begins_where_the_entity_begins(entities, offsets):
    """Give B to each token that starts where its entity starts."""
    owners = [owner_by_share(span, entities) for span in offsets]
    return [
        "O" if not owner else ("B-" if span[0] == owner[0] else "I-") + owner[2] for span, owner in zip(offsets, owners)
    ]


def begins_with_the_first_touch(entities, offsets):
    """Give B to the first token that shares characters with an entity, if it belongs to this entity."""
    tags, touched = [], []
    for span in offsets:
        owner = owner_by_share(span, entities)
        tags.append(("I-" if owner in touched else "B-") + owner[2] if owner else "O")
        touched += [one for one in entities if shared_characters(span, one)]
    return tags


def all_begin(entities, offsets):
    owners = [owner_by_share(span, entities) for span in offsets]
    return ["B-" + owner[2] if owner else "O" for owner in owners]


def all_inside(entities, offsets):
    """Write I for every token, as the older IO scheme does."""
    owners = [owner_by_share(span, entities) for span in offsets]
    return ["I-" + owner[2] if owner else "O" for owner in owners]


def empty_span_counts(entities, offsets):
    """Find the entity of an empty span by its position."""

    def owner_of(span, entities):
        if span[0] == span[1]:
            return next((one for one in entities if one[0] <= span[0] < one[1]), None)
        return owner_by_share(span, entities)

    return tags_by_owner(entities, offsets, owner_of)


def empty_span_ends_the_entity(entities, offsets):
    """Begin again after a special token."""
    owners = [owner_by_share(span, entities) for span in offsets]
    tags = []
    for before, owner in zip([None, *owners], owners):
        tags.append("O" if not owner else ("I-" if owner == before else "B-") + owner[2])
    return tags


# --- entity_tags, right --------------------------------------------------------------------------


def tags_by_counting(entities, offsets):
    character_owner = {position: one for one in entities for position in range(one[0], one[1])}
    tags, used = [], set()
    for start, end in offsets:
        counts = {}
        for position in range(start, end):
            if position in character_owner:
                counts[character_owner[position]] = counts.get(character_owner[position], 0) + 1
        if not counts:
            tags.append("O")
            continue
        owner = next(one for one in counts if counts[one] == max(counts.values()))
        tags.append(f"{'I' if owner in used else 'B'}-{owner[2]}")
        used.add(owner)
    return tags


def tags_by_sorting(entities, offsets):
    tags, begun = ["O"] * len(offsets), {}
    for n, (a, b) in enumerate(offsets):
        ranked = sorted((max(a, c) - min(b, d), c, d, label) for c, d, label in entities if max(a, c) < min(b, d))
        if ranked:
            _, *owner = ranked[0]
            tags[n] = ("I-" if begun.setdefault(tuple(owner), n) < n else "B-") + owner[2]
    return tuple(tags)


def tags_by_entity(entities, offsets):
    """Go through the entities, and let each one claim its tokens."""
    ordered = sorted(entities, key=lambda entity: entity[0])
    claims = [[len(range(max(a, s), min(b, e))) for a, b in offsets] for s, e, _ in ordered]
    tags = ["O" for _ in offsets]
    for mine, (_, _, label) in zip(range(len(ordered)), ordered):
        kind = "B"
        for token in range(len(offsets)):
            column = [claim[token] for claim in claims]
            if column[mine] > 0 and column.index(max(column)) == mine:
                tags[token], kind = f"{kind}-{label}", "I"
    return tags


# --- tagged_entities, wrong ----------------------------------------------------------------------


def entities_by(tags, offsets, **other):
    """Read tags with exchangeable parts."""
    goes_on = other.get("goes_on", lambda kind, label, current: kind == "I" and label == current)
    stray = other.get("stray", True)
    ends = other.get("ends", False)
    entities, current = [], None
    for tag, (start, end) in zip(tags, offsets):
        if start == end:
            current = None if ends else current
            continue
        kind, _, label = tag.partition("-")
        if current and goes_on(kind, label, current):
            entities[-1] = (entities[-1][0], end, entities[-1][2])
            continue
        if kind == "B" or (kind == "I" and stray):
            entities.append((start, end, label))
            current = label
        else:
            current = None
    return entities


def same_label_continues(tags, offsets):
    """Join neighbours with the same label, also at a B."""
    return entities_by(tags, offsets, goes_on=lambda kind, label, current: kind != "O" and label == current)


def letter_anywhere(tags, offsets):
    """Search the whole tag for the letter I."""
    marked = ["I" + tag[1:] if "I" in tag else tag for tag in tags]
    return entities_by(marked, offsets)


def same_span_is_skipped(tags, offsets):
    """Look at the first token of each span only."""
    return entities_by([tags[offsets.index(span)] for span in dict.fromkeys(offsets)], dict.fromkeys(offsets))


def far_tokens_are_apart(tags, offsets):
    """Begin again after more than one character between two tokens."""
    ends = [float("inf"), *accumulate((end for _, end in offsets), max)]
    far = [start - end > 1 for end, (start, _) in zip(ends, offsets)]
    return entities_by(["B" + tag[1:] if apart and tag[0] == "I" else tag for tag, apart in zip(tags, far)], offsets)


def first_token_only(tags, offsets):
    """Give an entity the span of its first token."""
    spans = {start: end for start, end in offsets if start < end}
    return [(start, spans[start], label) for start, _, label in entities_by(tags, offsets)]


def each_token_separately(tags, offsets):
    return [(*span, tag[2:]) for tag, span in zip(tags, offsets) if tag != "O" and span[0] < span[1]]


def last_one_is_lost(tags, offsets):
    """Append an entity when the next tag comes, and forget the one at the end."""
    entities = entities_by(tags, offsets)
    real = [tag for tag, (start, end) in zip(tags, offsets) if start < end]
    return entities[:-1] if real and real[-1] != "O" else entities


def stray_tags_lost(tags, offsets):
    return entities_by(tags, offsets, stray=False)


def any_label_continues(tags, offsets):
    """Continue an entity for any label of the I."""
    return entities_by(tags, offsets, goes_on=lambda kind, label, current: kind == "I")


def continues_after_others(tags, offsets):
    """Continue the last entity with this label, also after an O."""
    entities = []
    for tag, (start, end) in zip(tags, offsets):
        if start == end or tag == "O":
            continue
        if tag[0] == "I" and entities and entities[-1][2] == tag[2:]:
            entities[-1] = (entities[-1][0], end, tag[2:])
        else:
            entities.append((start, end, tag[2:]))
    return entities


def empty_one_ends_it(tags, offsets):
    return entities_by(tags, offsets, ends=True)


def empty_one_with_another_label_ends_it(tags, offsets):
    """Skip tokens with an empty span, but remember their labels."""
    entities, current = [], ""
    for tag, (start, end) in zip(tags, offsets):
        if start < end and tag[0] == "I" and tag[2:] == current:
            entities[-1] = (entities[-1][0], end, current)
        elif start < end and tag != "O":
            entities.append((start, end, tag[2:]))
        if start < end or (tag != "O" and tag[2:] != current):
            current = tag[2:] if start < end else ""
    return entities


def empty_ones_are_tokens(tags, offsets):
    """Treat tokens with an empty span like all others."""
    moved = [(start, end + 1) for start, end in offsets]
    return [(start, end - 1, label) for start, end, label in entities_by(tags, moved)]


# --- tagged_entities, right ----------------------------------------------------------------------


def entities_backwards(tags, offsets):
    """Go from right to left, and close an entity where it begins."""
    real = [(tag, span) for tag, span in zip(tags, offsets) if span[0] != span[1]]
    entities, stop = [], None
    for position in range(len(real) - 1, -1, -1):
        tag, (start, end) = real[position]
        before = real[position - 1][0] if position else "O"
        if tag == "O":
            continue
        stop = end if stop is None else stop
        if tag[0] == "B" or before == "O" or before[2:] != tag[2:]:
            entities.insert(0, (start, stop, tag[2:]))
            stop = None
    return entities


def entities_by_groups(tags, offsets):
    numbers, number, previous = [], 0, "O"
    real = [(tag, span) for tag, span in zip(tags, offsets) if span[0] < span[1]]
    for tag, _ in real:
        number += tag[0] == "B" or tag[1:] != previous[1:]
        numbers.append((number, tag))
        previous = tag
    found = []
    for _, run in groupby(zip(numbers, real), key=lambda one: one[0][0]):
        run = [one for _, one in run]
        if run[0][0] != "O":
            found.append([run[0][1][0], run[-1][1][1], run[0][0][2:]])
    return found


def entities_by_letters(tags, offsets):
    """Write the kinds as letters, and search them with a pattern, after making each stray I a B."""
    real = [(tag, span) for tag, span in zip(tags, offsets) if span[1] > span[0]]
    kinds = ""
    for position, (tag, _) in enumerate(real):
        before = real[position - 1][0] if position else "O"
        stray = tag[0] == "I" and before[1:] != tag[1:]
        kinds += "B" if stray else tag[0]
    return [
        (real[run.start()][1][0], real[run.end() - 1][1][1], real[run.start()][0][2:])
        for run in re.finditer("BI*", kinds)
    ]


WRONG: dict[str, dict[Program, list[str]]] = {
    "fold_text": {
        normalized_positions: ["replacements", "marks", "spaces", "ends"],
        byte_positions: ["replacements", "marks", "spaces", "ends"],
        first_one_has_the_span: ["replacements", "marks"],
        replacements_of_its_own: ["replacements"],
        replaces_again: ["replacements"],
        letters_are_lowered: ["replacements"],
        mark_in_no_span: ["marks"],
        mark_of_the_next: ["marks"],
        last_character_only: ["marks"],
        one_mark_at_most: ["marks"],
        marks_of_the_first_word: ["marks"],
        some_marks_only: ["marks"],
        marks_by_category: ["marks"],
        decomposes_letters: ["marks"],
        first_space_only: ["spaces"],
        each_space_stays: ["spaces"],
        spaces_by_split: ["spaces", "ends"],
        only_one_kind_of_space: ["spaces", "ends"],
        some_kinds_of_space: ["spaces"],
        ends_stay: ["ends"],
        assumes_a_letter: ["ends"],
        first_mark_extends: ["ends"],
        strips_first: ["ends"],
    },
    "split_beside": {
        merged_with_previous: ["runs", "ends"],
        merged_with_next: ["previous", "runs", "ends"],
        isolated: ["previous", "runs", "ends"],
        contiguous: ["previous", "runs", "ends"],
        removed: ["previous", "runs", "ends", "spans"],
        run_with_previous: ["runs", "ends"],
        next_wins: ["previous"],
        middle_together: ["runs", "ends"],
        same_delimiters_only: ["runs"],
        delimiters_are_one_word: ["runs"],
        delimiters_are_a_pattern: ["runs"],
        signs_are_delimiters: ["previous"],
        ends_or_inside: ["previous", "runs"],
        first_ones_isolated: ["ends"],
        last_merged_together: ["ends"],
        assumes_a_character: ["ends"],
        find_each_part: ["spans"],
        positions_in_the_stripped_text: ["spans"],
        spans_of_bytes: ["spans"],
        ends_are_inclusive: ["spans"],
    },
    "full_windows": {
        last_window_is_shorter: ["last"],
        stride_is_the_distance: ["stride", "last"],
        no_overlap: ["stride", "last"],
        window_at_every_start: ["needed"],
        last_one_twice: ["needed"],
        rest_is_lost: ["last", "needed"],
        beyond_the_end: ["last", "needed"],
        filled_from_the_right: ["last"],
        evenly_spread: ["last"],
        one_more_before_the_last: ["last"],
        twenty_windows_at_most: ["stride", "last", "needed"],
        no_window_for_zero_tokens: ["short"],
        short_one_is_full: ["short"],
    },
    "best_window": {
        first_with_the_token: ["context", "ties"],
        last_with_the_token: ["context", "ties"],
        most_to_the_left: ["context", "ties"],
        both_sides_together: ["context", "ties"],
        larger_side: ["context", "ties"],
        nearest_to_the_middle: ["context", "ties"],
        stop_is_in_the_window: ["context", "ties"],
        a_second_window_exists: ["context"],
        later_of_equal_windows: ["ties"],
        larger_of_equal_windows: ["ties"],
    },
    "owned_spans": {
        merges_from_the_right: ["merges"],
        first_occurrence_only: ["merges"],
        longest_token_first: ["merges"],
        shared_spans_of_bytes: ["bytes", "merged"],
        byte_offsets: ["bytes", "merged", "space"],
        last_byte_owns: ["bytes", "merged"],
        empty_span_before: ["bytes", "merged"],
        empty_span_is_zero: ["bytes", "merged"],
        characters_that_can_be_decoded: ["bytes", "merged"],
        partial_character_to_the_next: ["merged"],
        span_of_the_same_token: ["merged"],
        bytes_after_a_space: ["space"],
        space_is_a_character: ["space"],
        space_is_not_inserted: ["space"],
        space_shares_the_first: ["space"],
        space_comes_last: ["space"],
    },
    "split_tokens": {
        first_in_the_table: ["matching"],
        last_in_the_table: ["matching"],
        case_is_ignored: ["matching"],
        shortest_match: ["matching"],
        longest_anywhere: ["matching"],
        overlapping_matches: ["matching"],
        contents_are_patterns: ["matching", "left", "right", "once", "breaks"],
        ignore_lstrip: ["left", "once", "breaks"],
        ignore_rstrip: ["right", "once", "breaks"],
        sides_swapped: ["left", "right", "once", "breaks"],
        one_space_at_most: ["left", "right", "once", "breaks"],
        whitespace_is_lost: ["left", "right", "once", "breaks"],
        takes_any_space: ["left", "right"],
        takes_line_breaks: ["breaks"],
        takes_line_breaks_on_the_left: ["breaks"],
        right_token_takes_it: ["once"],
        taken_twice: ["once"],
        always_between: ["once"],
    },
    "entity_tags": {
        only_inside: ["shared", "most"],
        start_decides: ["shared", "most"],
        touching_is_enough: ["shared", "most", "begin", "empty"],
        tokens_without_gaps: ["shared"],
        first_entity_wins: ["most"],
        last_entity_wins: ["most"],
        characters_of_the_label: ["most"],
        longest_entity_wins: ["most"],
        given_first_wins_a_tie: ["most"],
        label_before_decides: ["begin", "empty"],
        begins_where_the_entity_begins: ["begin"],
        begins_with_the_first_touch: ["begin"],
        all_begin: ["begin", "empty"],
        all_inside: ["begin", "empty"],
        empty_span_counts: ["empty"],
        empty_span_ends_the_entity: ["empty"],
    },
    "tagged_entities": {
        same_label_continues: ["spans", "stray", "empty"],
        letter_anywhere: ["spans"],
        same_span_is_skipped: ["spans"],
        far_tokens_are_apart: ["spans"],
        first_token_only: ["spans", "stray", "empty"],
        each_token_separately: ["spans", "stray", "empty"],
        last_one_is_lost: ["spans", "stray", "empty"],
        stray_tags_lost: ["stray"],
        any_label_continues: ["stray"],
        continues_after_others: ["stray"],
        empty_one_ends_it: ["empty"],
        empty_one_with_another_label_ends_it: ["empty"],
        empty_ones_are_tokens: ["empty"],
    },
}

RIGHT: dict[str, list[Program]] = {
    "fold_text": [fold_by_pattern, fold_by_positions, fold_by_groups],
    "split_beside": [split_by_runs, split_by_pattern, split_by_state],
    "full_windows": [windows_in_a_loop, windows_by_recursion, windows_by_number],
    "best_window": [best_in_a_loop, best_by_max, best_by_sorting],
    "owned_spans": [spans_by_positions, spans_by_objects, spans_by_prefixes],
    "split_tokens": [split_with_groups, split_by_characters, split_by_owners],
    "entity_tags": [tags_by_counting, tags_by_sorting, tags_by_entity],
    "tagged_entities": [entities_backwards, entities_by_groups, entities_by_letters],
}
