"""Programs for assignment 6: wrong ones, and right ones in other styles.

Each is a program that a learner might write in the cell of its task. It is renamed, with its helper functions. The
sheet defines `mine`, the two rules of its student.
"""

from __future__ import annotations

import codecs
import re
from collections import Counter
from collections.abc import Callable
from itertools import groupby
from typing import Any

Program = Callable[..., Any]

mine = {"ties": "smallest", "space": "before"}  # a sheet has its own, from the student's id

# --- cut_words, wrong ----------------------------------------------------------------------------


def cut_by(text, **other):
    """Cut a text by a pattern with exchangeable parts."""
    letters = r"[^\W\d_]+"
    word = other.get("word", rf"{letters}(?:'{letters})*")
    number = other.get("number", r"\d{1,3}(?=(?:\d{3})*(?!\d))")
    sign = other.get("sign", r"(?P<same>[^\w\s]|_)(?P=same)*")
    space, rest = other.get("space", " ?"), other.get("rest", r"\s+")
    pattern = other.get("whole", rf"(?:{word}|{number}|{sign}){space}|{rest}")
    return [found[0] for found in re.finditer(pattern, text)]


def contractions_apart(text):
    """Split contractions as GPT-2 does."""
    return cut_by(text, word=r"'(?:s|t|re|ve|m|ll|d)|[^\W\d_]+")


def apostrophe_alone(text):
    return cut_by(text, word=r"[^\W\d_]+")


def every_apostrophe(text):
    """Treat each apostrophe as a letter."""
    return cut_by(text, word=r"(?:[^\W\d_]|')+")


def apostrophe_at_the_end(text):
    return cut_by(text, word=r"[^\W\d_]+(?:'[^\W\d_]*)*")


def apostrophe_before_a_space(text):
    letters = r"[^\W\d_]+"
    return cut_by(text, word=rf"{letters}(?:'{letters})*(?:'(?= ))?")


def ascii_letters(text):
    return cut_by(text, word="[A-Za-z]+(?:'[A-Za-z]+)*", sign=r"(?P<same>[^A-Za-z\d\s])(?P=same)*")


def groups_from_the_left(text):
    """Divide a number from the left, as GPT-4's pattern does."""
    return cut_by(text, number=r"\d{1,3}")


def number_in_one_piece(text):
    return cut_by(text, number=r"\d+")


def digits_alone(text):
    return cut_by(text, number=r"\d")


def point_in_a_number(text):
    """Take a number with a decimal point as one piece."""
    return cut_by(text, number=r"\d+\.\d+|\d{1,3}(?=(?:\d{3})*(?!\d))")


def letters_and_digits_together(text):
    """Take letters and digits as one word."""
    return cut_by(text, word=r"[^\W_]+(?:'[^\W_]+)*")


def different_signs_together(text):
    return cut_by(text, sign=r"(?:[^\w\s]|_)+")


def signs_alone(text):
    return cut_by(text, sign=r"[^\w\s]|_")


def hyphen_in_a_word(text):
    letters = r"[^\W\d_]+"
    return cut_by(text, word=rf"{letters}(?:['-]{letters})*")


def round_apostrophe(text):
    """Take the typographic apostrophe for one as well."""
    letters = r"[^\W\d_]+"
    return cut_by(text, word=rf"{letters}(?:['’]{letters})*")


def underscore_is_a_letter(text):
    return cut_by(text, word=r"[^\W\d]+(?:'[^\W\d]+)*", sign=r"(?P<same>[^\w\s])(?P=same)*")


def space_of_the_next(text):
    """Join a space to the piece after it, as GPT-2 does."""
    letters = r"[^\W\d_]+"
    pieces = rf"{letters}(?:'{letters})*|\d{{1,3}}(?=(?:\d{{3}})*(?!\d))|(?P<same>[^\w\s]|_)(?P=same)*"
    return cut_by(text, whole=rf" ?(?:{pieces})|\s+(?!\S)|\s+")


def all_spaces_before(text):
    return cut_by(text, space=" *")


def line_feed_too(text):
    """Join any whitespace character to the piece before it."""
    return cut_by(text, space=r"\s?")


def space_alone(text):
    return cut_by(text, space="")


def no_space_after_groups(text):
    """Forget the space after a number that was divided."""
    parts = []
    for part in cut_by(text, number=r"\d+"):
        divided = cut_by(part)
        parts += [*divided[:-1], divided[-1].rstrip(), " "] if len(divided) > 1 and part[-1] == " " else divided
    return parts


def each_space_alone(text):
    return cut_by(text, rest=r"\s")


def spaces_are_lost(text):
    return cut_by(text, rest=" +")


# --- cut_words, right ----------------------------------------------------------------------------


def cut_by_pattern(text):
    return tuple(cut_by(text))


def cut_in_a_loop(text):
    pieces, place = [], 0
    while place < len(text):
        end, one = place + 1, text[place]
        if one.isalpha():
            while text[end : end + 1].isalpha() or (text[end : end + 1] == "'" and text[end + 1 : end + 2].isalpha()):
                end += 1
        elif one.isdecimal():
            while text[end : end + 1].isdecimal():
                end += 1
            end = place + ((end - place) % 3 or 3)
        elif one.isspace():
            while text[end : end + 1].isspace():
                end += 1
        else:
            while text[end : end + 1] == one:
                end += 1
        if not one.isspace() and text[end : end + 1] == " " and not (one.isdecimal() and text[end].isdecimal()):
            end += 1
        pieces.append(text[place:end])
        place = end
    return pieces


def cut_with_borders(text):
    """Find the places between two characters at which a piece ends."""

    def kind(place):
        one = text[place]
        beside = text[place - 1 : place].isalpha() and text[place + 1 : place + 2].isalpha()
        if one.isalpha() or (one == "'" and place > 0 and beside):
            return "letter"
        return "digit" if one.isdecimal() else "space" if one.isspace() else one

    def taken(place):
        """Whether a space belongs to the piece before it."""
        return place > 0 and text[place] == " " and kind(place - 1) != "space"

    def digits_after(place):
        count = 0
        while place + count < len(text) and kind(place + count) == "digit":
            count += 1
        return count

    borders = [0]
    for place in range(1, len(text)):
        if taken(place):
            continue
        same = kind(place) == kind(place - 1) and not taken(place - 1)
        if not same or (kind(place) == "digit" and digits_after(place) % 3 == 0):
            borders.append(place)
    return [text[start:end] for start, end in zip(borders, [*borders[1:], len(text)]) if start < end]


# --- learn_pairs, wrong --------------------------------------------------------------------------


def learn_by(word_counts, number, **other):
    """Learn pairs with exchangeable parts."""
    places = other.get("places", places_of_pairs)
    choose, join = other.get("choose", choose_by_rule), other.get("join", join_from_left)
    words, pairs = [([word[at : at + 1] for at in range(len(word))], n) for word, n in word_counts.items()], []
    while other.get("endless") or len(pairs) < number:
        counts = {}
        for symbols, count in words:
            for pair in places(symbols):
                counts[pair] = counts.get(pair, 0) + (1 if other.get("once") else count)
        highest = max(counts.values()) if other.get("careless") else max(counts.values(), default=0)
        if highest < other.get("least", 2):
            break
        best = choose([pair for pair in counts if counts[pair] == highest])
        pairs.append(best)
        words = [(join(symbols, best), count) for symbols, count in words]
    return pairs


def places_of_pairs(symbols):
    """The pairs of a word, without the ones that overlap an equal one."""
    found, last = [], {}
    for place, pair in enumerate(zip(symbols, symbols[1:])):
        if last.get(pair) != place - 1:
            found.append(pair)
            last[pair] = place
    return found


def choose_by_rule(tied):
    return choose_by(mine["ties"], tied)


def choose_by(ties, tied):
    length = {"shortest": 1, "longest": -1}.get(ties, 0)
    chosen = sorted(tied, key=lambda pair: (length * len(pair[0] + pair[1]), pair))
    return chosen[-1] if ties == "largest" else chosen[0]


def join_from_left(symbols, pair):
    joined = []
    for symbol in symbols:
        if joined and (joined[-1], symbol) == pair:
            joined[-1] += symbol
        else:
            joined.append(symbol)
    return joined


def counts_overlaps(word_counts, number):
    """Count every two neighbours, as the capstone does."""
    return learn_by(word_counts, number, places=lambda symbols: zip(symbols, symbols[1:]))


def counts_overlaps_of_longer_tokens(word_counts, number):
    """Leave out overlaps of single bytes only."""

    def places(symbols):
        pairs = list(zip(symbols, symbols[1:]))
        single = [pair for pair in places_of_pairs(symbols) if len(pair[0] + pair[1]) == 2]
        return single + [pair for pair in pairs if len(pair[0] + pair[1]) > 2]

    return learn_by(word_counts, number, places=places)


def counts_each_word_once(word_counts, number):
    return learn_by(word_counts, number, once=True, least=1)


def counts_a_pair_once_per_word(word_counts, number):
    return learn_by(word_counts, number, places=lambda symbols: dict.fromkeys(zip(symbols, symbols[1:])))


def never_counts_again(word_counts, number):
    """Take the most frequent pairs of single bytes."""
    counts = Counter()
    for word, count in word_counts.items():
        for pair in places_of_pairs([word[at : at + 1] for at in range(len(word))]):
            counts[pair] += count
    pairs = []
    while len(pairs) < number and counts and max(counts.values()) > 1:
        pairs.append(choose_by_rule([pair for pair in counts if counts[pair] == max(counts.values())]))
        del counts[pairs[-1]]
    return pairs


def characters_are_symbols(word_counts, number):
    """Begin with characters in place of bytes."""
    texts = {word.decode(): count for word, count in word_counts.items()}
    return [(left.encode(), right.encode()) for left, right in learn_by(texts, number)]


def five_pairs_at_most(word_counts, number):
    return learn_by(word_counts, min(number, 5))


def one_pair_at_least(word_counts, number):
    return learn_by(word_counts, max(number, 1))


def joins_from_the_right(word_counts, number):
    def join(symbols, pair):
        backwards = join_from_left([symbol[::-1] for symbol in symbols[::-1]], (pair[1][::-1], pair[0][::-1]))
        return [symbol[::-1] for symbol in backwards[::-1]]

    return learn_by(word_counts, number, join=join)


def joins_the_first_place(word_counts, number):
    def join(symbols, pair):
        for place in range(len(symbols) - 1):
            if (symbols[place], symbols[place + 1]) == pair:
                return [*symbols[:place], pair[0] + pair[1], *symbols[place + 2 :]]
        return symbols

    return learn_by(word_counts, number, join=join)


def first_seen_wins(word_counts, number):
    return learn_by(word_counts, number, choose=lambda tied: tied[0])


def last_seen_wins(word_counts, number):
    return learn_by(word_counts, number, choose=lambda tied: tied[-1])


def joined_tokens_compared(word_counts, number):
    """Compare joined tokens in place of tuples."""

    def choose(tied):
        tied = sorted(tied, key=lambda pair: pair[0] + pair[1], reverse=mine["ties"] == "largest")
        length = {"shortest": 1, "longest": -1}.get(mine["ties"], 0)
        return min(tied, key=lambda pair: length * len(pair[0] + pair[1]))

    return learn_by(word_counts, number, choose=choose)


def rule_of_another(word_counts, number):
    """Decide ties by the rule of another student."""
    others = {"smallest": "largest", "largest": "shortest", "shortest": "longest", "longest": "smallest"}
    return learn_by(word_counts, number, choose=lambda tied: choose_by(others[mine["ties"]], tied))


def merges_single_pairs(word_counts, number):
    return learn_by(word_counts, number, least=1)


def needs_three(word_counts, number):
    """Stop although the highest count is 2."""
    return learn_by(word_counts, number, least=3)


def a_pair_is_left(word_counts, number):
    return learn_by(word_counts, number, careless=True)


def forgets_the_number(word_counts, number):
    return learn_by(word_counts, number, endless=True)


# --- learn_pairs, right --------------------------------------------------------------------------


def learn_in_parts(word_counts, number):
    return learn_by(word_counts, number)


def learn_by_replacing(word_counts, number):
    """Use one character per symbol."""
    texts = {word.decode("latin-1"): count for word, count in word_counts.items()}
    symbol = {chr(byte): bytes([byte]) for byte in range(256)}
    pairs = []
    while len(pairs) < number:
        found = {text[at : at + 2] for text in texts for at in range(len(text) - 1)}
        counts = {two: sum(text.count(two) * count for text, count in texts.items()) for two in found}
        if max(counts.values(), default=0) < 2:
            return tuple(pairs)
        tied = {(symbol[two[0]], symbol[two[1]]): two for two in counts if counts[two] == max(counts.values())}
        pairs.append(choose_by_rule(list(tied)))
        new = chr(0x1000 + len(pairs))
        symbol[new] = b"".join(pairs[-1])
        merged = Counter()
        for text, count in texts.items():
            merged[text.replace(tied[pairs[-1]], new)] += count
        texts = merged
    return pairs


def learn_with_runs(word_counts, number):
    """Count a pair of equal symbols by the lengths of their runs."""
    words = {word: [bytes([byte]) for byte in word] for word in word_counts}
    pairs = []
    for _ in range(number):
        counts = Counter()
        for word, symbols in words.items():
            for left, right in zip(symbols, symbols[1:]):
                counts[left, right] += word_counts[word] if left != right else 0
            for symbol, run in groupby(symbols):
                counts[symbol, symbol] += len(list(run)) // 2 * word_counts[word]
        most = counts.most_common(1)
        if not most or most[0][1] < 2:
            break
        best = choose_by_rule([pair for pair, count in counts.items() if count == most[0][1]])
        pairs.append(list(best))
        words = {word: join_from_left(symbols, best) for word, symbols in words.items()}
    return pairs


# --- merge_word, wrong ---------------------------------------------------------------------------


def single_bytes(word):
    return [word[at : at + 1] for at in range(len(word))]


def join_right(tokens, pair):
    """Join a pair at all its occurrences, from right to left."""
    joined = []
    while tokens:
        if tuple(tokens[-2:]) == tuple(pair):
            joined.insert(0, tokens[-2] + tokens[-1])
            tokens = tokens[:-2]
        else:
            joined.insert(0, tokens[-1])
            tokens = tokens[:-1]
    return joined


def merges_from_the_left(word, pairs):
    """Merge from left to right, as the capstone does."""
    tokens = single_bytes(word)
    for pair in pairs:
        tokens = join_from_left(tokens, tuple(pair))
    return tokens


def one_place_for_each_pair(word, pairs):
    tokens = single_bytes(word)
    for left, right in pairs:
        for place in range(len(tokens) - 2, -1, -1):
            if tokens[place : place + 2] == [left, right]:
                tokens[place : place + 2] = [left + right]
                break
    return tokens


def rightmost_pair_first(word, pairs):
    """Merge the pair that is furthest to the right, and ignore its rank."""
    tokens = single_bytes(word)
    while True:
        places = [at for at in range(len(tokens) - 1) if (tokens[at], tokens[at + 1]) in pairs]
        if not places:
            return tokens
        tokens[places[-1] : places[-1] + 2] = [tokens[places[-1]] + tokens[places[-1] + 1]]


def last_pair_first(word, pairs):
    tokens = single_bytes(word)
    while True:
        found = [pair for pair in pairs if pair in list(zip(tokens, tokens[1:]))]
        if not found:
            return tokens
        tokens = join_right(tokens, found[-1])


def longest_token_at_the_end(word, pairs):
    """Take the longest token at the end of the word, again and again."""
    known, tokens = {left + right for left, right in pairs}, []
    while word:
        start = next(at for at in range(len(word)) if word[at:] in known or at == len(word) - 1)
        tokens.insert(0, word[start:])
        word = word[:start]
    return tokens


def whole_word_is_a_token(word, pairs):
    """Return a word that is a token without merging, as tiktoken does."""
    if word in [left + right for left, right in pairs]:
        return [word]
    tokens = single_bytes(word)
    for pair in pairs:
        tokens = join_right(tokens, pair)
    return tokens


def joined_bytes_decide(word, pairs):
    """Join neighbours whose bytes are a token, also if they are not the pair."""
    ranks = {left + right: rank for rank, (left, right) in enumerate(pairs)}
    tokens = single_bytes(word)
    while True:
        found = [(ranks[tokens[at] + tokens[at + 1]], -at) for at in range(len(tokens) - 1)
                 if tokens[at] + tokens[at + 1] in ranks]  # fmt: skip
        if not found:
            return tokens
        at = -min(found)[1]
        tokens[at : at + 2] = [tokens[at] + tokens[at + 1]]


def five_ranks_at_most(word, pairs):
    tokens = single_bytes(word)
    for pair in pairs[:5]:
        tokens = join_right(tokens, pair)
    return tokens


def stops_after_one_pair(word, pairs):
    tokens = single_bytes(word)
    found = [pair for pair in pairs if pair in list(zip(tokens, tokens[1:]))]
    return join_right(tokens, found[0]) if found else tokens


def only_merged_tokens(word, pairs):
    """Drop the bytes that no pair joins."""
    tokens = single_bytes(word)
    for pair in pairs:
        tokens = join_right(tokens, pair)
    made = {left + right for left, right in pairs}
    return [token for token in tokens if token in made]


def a_token_is_there(word, pairs):
    """Begin with the last byte, although the word may be empty."""
    *before, last = single_bytes(word)
    tokens = [*before, last]
    for pair in pairs:
        tokens = join_right(tokens, pair)
    return tokens


def characters_for_bytes(word, pairs):
    """Begin with characters in place of bytes."""
    tokens = [character.encode() for character in word.decode(errors="replace")]
    for pair in pairs:
        tokens = join_right(tokens, pair)
    return tokens


# --- merge_word, right ---------------------------------------------------------------------------


def merge_in_order(word, pairs):
    tokens = single_bytes(word)
    for pair in pairs:
        tokens = join_right(tokens, pair)
    return tuple(tokens)


def merge_by_rank_and_place(word, pairs):
    """Merge one place in each round: the lowest rank, and of several the one furthest to the right."""
    ranks = {tuple(pair): rank for rank, pair in enumerate(pairs)}
    tokens = single_bytes(word)
    while True:
        found = [(ranks[pair], -place) for place, pair in enumerate(zip(tokens, tokens[1:])) if pair in ranks]
        if not found:
            return tokens
        place = -min(found)[1]
        tokens[place : place + 2] = [b"".join(tokens[place : place + 2])]


def merge_backwards(word, pairs):
    """Turn the word and the pairs round, and merge from the left."""
    tokens = single_bytes(word[::-1])
    for left, right in pairs:
        tokens = join_from_left(tokens, (right[::-1], left[::-1]))
    return [token[::-1] for token in reversed(tokens)]


# --- cut_special, wrong --------------------------------------------------------------------------


def split_by(text, special, **other):
    """Split at special tokens with exchangeable parts."""
    order = other.get("order", lambda tokens: sorted(tokens, key=len, reverse=True))
    escape, side = other.get("escape", re.escape), other.get("side", mine["space"])
    spaces = other.get("spaces", " ?")
    if not special and not other.get("careless"):
        return [(text, None)] if text else []
    tokens = "|".join(map(escape, order(special)))
    before, after = spaces if side in ("before", "both") else "", spaces if side in ("after", "both") else ""
    parts, start = [], 0
    for found in re.finditer(f"{before}({tokens}){after}", text):
        parts += [(text[start : found.start()], None), (found[0], found[1])]
        start = found.end()
    parts.append((text[start:], None))
    return [(part, token) for part, token in parts if part or other.get("empty")]


def order_of_the_list(text, special):
    return split_by(text, special, order=list)


def shortest_match(text, special):
    return split_by(text, special, order=lambda tokens: sorted(tokens, key=len))


def case_is_ignored(text, special):
    """Find special tokens in capitals and small letters."""
    written = {found for token in special for found in re.findall(re.escape(token), text, re.I)}
    return split_by(text, [*{*special, *written}])


def longest_of_the_text(text, special):
    """Search the whole text for the longest token first."""
    if not special:
        return split_by(text, [])
    *shorter, longest = sorted(special, key=len)
    parts = []
    for part, token in split_by(text, [longest]):
        parts += [(part, token)] if token else longest_of_the_text(part, shorter)
    return parts


def first_token_only(text, special):
    """Split at the first special token only."""
    parts = split_by(text, special)
    place = next((n for n, (_, token) in enumerate(parts) if token), len(parts))
    rest = "".join(part for part, _ in parts[place + 1 :])
    return [*parts[: place + 1], (rest, None)] if rest else parts[: place + 1]


def space_of_another(text, special):
    """Absorb the space on the other side, by the rule of another student."""
    return split_by(text, special, side="after" if mine["space"] == "before" else "before")


def spaces_on_both_sides(text, special):
    return split_by(text, special, side="both")


def all_spaces_absorbed(text, special):
    return split_by(text, special, spaces=" *")


def any_whitespace_absorbed(text, special):
    return split_by(text, special, spaces=r"\s?")


def only_tabs_and_line_feeds_stay(text, special):
    return split_by(text, special, spaces=r"[^\S\t\n]?")


def nothing_absorbed(text, special):
    return split_by(text, special, spaces="")


def space_in_the_token(text, special):
    """Return the token with its space."""
    return [(part, token and part) for part, token in split_by(text, special)]


def space_is_dropped(text, special):
    return [(token or part, token) for part, token in split_by(text, special)]


def tokens_are_patterns(text, special):
    return split_by(text, special, escape=str)


def empty_parts_stay(text, special):
    return split_by(text, special, empty=True)


def a_special_token_exists(text, special):
    return split_by(text, special, careless=True)


def text_has_its_part(text, special):
    """Return the ordinary text itself where None is expected."""
    return [(part, token or part) for part, token in split_by(text, special)]


# --- cut_special, right --------------------------------------------------------------------------


def split_by_pattern(text, special):
    return split_by(text, special)


def split_by_recursion(text, special):
    places = [text.find(token) for token in special if token in text]
    if not places:
        return ((text, None),) if text else ()
    start = min(places)
    token = max((token for token in special if text.startswith(token, start)), key=len)
    end = start + len(token)
    if mine["space"] == "before":
        start -= text[:start].endswith(" ")
    else:
        end += text[end:].startswith(" ")
    before = ((text[:start], None),) if start else ()
    return (*before, (text[start:end], token), *split_by_recursion(text[end:], special))


def split_by_characters(text, special):
    parts, ordinary, rest = [], "", text
    while rest:
        tokens = [token for token in special if rest[: len(token)] == token]
        if not tokens:
            ordinary, rest = ordinary + rest[0], rest[1:]
            continue
        token = sorted(tokens, key=len)[-1]
        part, rest = token, rest[len(token) :]
        if mine["space"] == "before" and ordinary[-1:] == " ":
            ordinary, part = ordinary[:-1], " " + part
        if mine["space"] == "after" and rest[:1] == " ":
            part, rest = part + " ", rest[1:]
        parts += [[ordinary, None], [part, token]] if ordinary else [[part, token]]
        ordinary = ""
    return [*parts, [ordinary, None]] if ordinary else parts


# --- ids_to_text, wrong --------------------------------------------------------------------------


def text_by(data):
    """Decode bytes, with one U+FFFD for each run of undecodable ones."""
    return re.sub("[\\udc80-\\udcff]+", "\ufffd", data.decode("utf-8", "surrogateescape"))


def decodes_each_token(ids, tokens):
    return "".join(text_by(tokens.get(id, b"\xff")) for id in ids)


def bytes_are_characters(ids, tokens):
    return b"".join(tokens.get(id, b"\xff") for id in ids).decode("latin-1")


def sign_of_replace(ids, tokens):
    """Leave the number of U+FFFD to `bytes.decode`."""
    return b"".join(tokens.get(id, b"\xff") for id in ids).decode("utf-8", "replace")


def sign_for_each_byte(ids, tokens):
    data = b"".join(tokens.get(id, b"\xff") for id in ids)
    return re.sub("[\\udc80-\\udcff]", "\ufffd", data.decode("utf-8", "surrogateescape"))


def sign_is_left_out(ids, tokens):
    return b"".join(tokens.get(id, b"\xff") for id in ids).decode("utf-8", "ignore")


def longer_forms_are_characters(ids, tokens):
    """Decode two bytes by their bits, also where one byte would be enough."""
    data = b"".join(tokens.get(id, b"\xff") for id in ids)
    return text_by(re.sub(rb"[\xc0\xc1][\x80-\xbf]", lambda two: bytes([two[0][0] % 2 * 64 + two[0][1] % 64]), data))


def one_sign_for_the_text(ids, tokens):
    """Return a single U+FFFD if anything is undecodable."""
    data = b"".join(tokens.get(id, b"\xff") for id in ids)
    try:
        return data.decode()
    except UnicodeDecodeError:
        return "\ufffd"


def all_signs_together(ids, tokens):
    """Join all neighbouring U+FFFD, also those of the text itself."""
    data = b"".join(tokens.get(id, b"\xff") for id in ids)
    return re.sub("\ufffd+", "\ufffd", data.decode("utf-8", "replace"))


def own_sign_joins_the_run(ids, tokens):
    """Treat the bytes of U+FFFD as undecodable."""
    data = b"".join(tokens.get(id, b"\xff") for id in ids).replace(b"\xef\xbf\xbd", b"\xff")
    return text_by(data)


def unknown_is_skipped(ids, tokens):
    return text_by(b"".join(tokens.get(id, b"") for id in ids))


def unknown_is_an_error(ids, tokens):
    return text_by(b"".join(tokens[id] for id in ids))


def unknown_beyond_the_last(ids, tokens):
    """Skip unknown ids below the largest one."""
    last = max(tokens, default=-1)
    return text_by(b"".join(tokens.get(id, b"" if id < last else b"\xff") for id in ids))


def unknown_continues_a_character(ids, tokens):
    """Use a byte that completes a character after some bytes."""
    return text_by(b"".join(tokens.get(id, b"\x80") for id in ids))


def unknown_has_its_own_sign(ids, tokens):
    return text_by(b"".join(tokens.get(id, b"\xef\xbf\xbd") for id in ids))


# --- ids_to_text, right --------------------------------------------------------------------------


def text_with_surrogates(ids, tokens):
    return text_by(b"".join(tokens[id] if id in tokens else b"\xff" for id in ids))


def text_by_errors(ids, tokens):
    """Go from one error to the next."""
    data, text, torn = b"".join(tokens.get(id, b"\xf8") for id in ids), "", False
    while data:
        try:
            good, bad = data.decode(), len(data)
        except UnicodeDecodeError as error:
            good, bad = data[: error.start].decode(), error.end
        text += good
        torn = torn and not good
        if len(good.encode()) < bad and not torn:
            text, torn = text + "\ufffd", True
        data = data[bad:]
    return text


def text_by_a_handler(ids, tokens):
    """Register an error handler that joins neighbouring errors."""
    ends = [None]

    def one_for_a_run(error):
        beside = ends[0] == error.start
        ends[0] = error.end
        return ("" if beside else "\ufffd"), error.end

    codecs.register_error("one for a run", one_for_a_run)
    return b"".join(tokens.get(id, b"\xff") for id in ids).decode("utf-8", "one for a run")


# --- shown_words, wrong --------------------------------------------------------------------------


def show_by(ids, tokens, **other):
    """Show words with exchangeable parts."""
    end_of = other.get("end_of", lambda held: max(held.rfind(b" "), held.rfind(b"\n")) + 1)
    decode = other.get("decode", text_by)
    shown, held = [], b""
    for id in ids:
        held += tokens[id]
        end = end_of(held)
        shown.append(decode(held[:end]))
        held = held[end:]
    return [*shown, decode(held)]


def characters_at_once(ids, tokens):
    """Show each complete character at once, as the capstone does."""
    decoder = codecs.getincrementaldecoder("utf-8")("replace")
    return [*(decoder.decode(tokens[id]) for id in ids), decoder.decode(b"", True)]


def space_waits(ids, tokens):
    """Hold the space as well."""
    return show_by(ids, tokens, end_of=lambda held: max(held.rfind(b" "), held.rfind(b"\n"), 0))


def first_space_only(ids, tokens):
    return show_by(ids, tokens, end_of=lambda held: min(
        (place + 1 for place in (held.find(b" "), held.find(b"\n")) if place >= 0), default=0))  # fmt: skip


def spaces_only(ids, tokens):
    return show_by(ids, tokens, end_of=lambda held: held.rfind(b" ") + 1)


def line_feed_without_a_space(ids, tokens):
    """Look for a line feed only if there is no space."""
    return show_by(ids, tokens, end_of=lambda held: held.rfind(b" " if b" " in held else b"\n") + 1)


def tab_ends_a_word(ids, tokens):
    return show_by(ids, tokens, end_of=lambda held: max(held.rfind(b" "), held.rfind(b"\n"), held.rfind(b"\t")) + 1)


def return_ends_a_word(ids, tokens):
    """End a word at a carriage return as well."""
    return show_by(ids, tokens, end_of=lambda held: max(map(held.rfind, (b" ", b"\n", b"\r"))) + 1)


def token_must_end_in_a_space(ids, tokens):
    """Show nothing unless the token itself ends the word."""
    return show_by(ids, tokens, end_of=lambda held: len(held) if held.endswith((b" ", b"\n")) else 0)


def everything_with_a_space(ids, tokens):
    """Show all that is held as soon as it contains a space."""
    return show_by(ids, tokens, end_of=lambda held: len(held) if b" " in held or b"\n" in held else 0)


def tokens_decoded_alone(ids, tokens):
    """Hold texts in place of bytes."""
    texts = {id: token.decode("utf-8", "replace").encode() for id, token in tokens.items()}
    return show_by(ids, texts)


def torn_bytes_are_lost(ids, tokens):
    return show_by(ids, tokens, decode=lambda data: data.decode("utf-8", "ignore"))


def torn_bytes_by_replace(ids, tokens):
    return show_by(ids, tokens, decode=lambda data: data.decode("utf-8", "replace"))


def own_signs_together(ids, tokens):
    return show_by(ids, tokens, decode=lambda data: re.sub("\ufffd+", "\ufffd", data.decode("utf-8", "replace")))


def rest_by_replace(ids, tokens):
    """Leave the number of U+FFFD in the last text to `bytes.decode`."""
    *shown, _ = show_by(ids, tokens)
    return [*shown, show_by(ids, tokens, decode=lambda data: data.decode("utf-8", "replace"))[-1]]


def rest_is_lost(ids, tokens):
    return show_by(ids, tokens)[:-1]


def rest_with_the_last(ids, tokens):
    """Show the rest with the last id."""
    *shown, last = show_by(ids, tokens)
    return [*shown[:-1], shown[-1] + last]


def nothing_at_the_end(ids, tokens):
    return [*show_by(ids, tokens)[:-1], ""]


# --- shown_words, right --------------------------------------------------------------------------


def show_in_parts(ids, tokens):
    return show_by(ids, tokens)


def show_by_lengths(ids, tokens):
    """Compare how much of the joined bytes may be shown after each id."""
    shown, data, before = [], b"", 0
    for id in ids:
        data += tokens[id]
        now = len(data)
        while now > before and data[now - 1 : now] not in (b" ", b"\n"):
            now -= 1
        shown.append(text_by(data[before:now]))
        before = now
    return (*shown, text_by(data[before:]))


def show_by_an_object(ids, tokens):
    class Screen:
        def __init__(self):
            self.held = bytearray()

        def take(self, data):
            self.held += data
            *words, rest = re.split(rb"(?<=[ \n])", bytes(self.held))
            self.held = bytearray(rest)
            return text_by(b"".join(words))

    screen = Screen()
    return [screen.take(tokens[id]) for id in ids] + [text_by(bytes(screen.held))]


# --- pairs_to_file, wrong ------------------------------------------------------------------------


def file_by(pairs, **other):
    """Write a file with exchangeable parts."""
    part = other.get("part", bytes.hex)
    lines = [f"{part(left)}{other.get('between', ' ')}{part(right)}" for left, right in pairs]
    lines = lines if other.get("forwards") else lines[::-1]
    return "\n".join([*other.get("header", [f"merges {len(pairs)}"]), *lines]) + other.get("end", "\n")


def first_pair_on_top(pairs):
    return file_by(pairs, forwards=True)


def sorted_pairs(pairs):
    return file_by(sorted(pairs))


def longest_pair_on_top(pairs):
    return file_by(sorted(pairs, key=lambda pair: len(pair[0] + pair[1])))


def no_header(pairs):
    return file_by(pairs, header=[])


def header_counts_lines(pairs):
    return file_by(pairs, header=[f"merges {len(pairs) + 1}"])


def header_counts_pairs_of_bytes(pairs):
    """Count the pairs of single bytes."""
    return file_by(pairs, header=[f"merges {sum(len(left + right) == 2 for left, right in pairs)}"])


def number_first(pairs):
    return file_by(pairs, header=[f"{len(pairs)} merges"])


def no_line_feed_at_the_end(pairs):
    return file_by(pairs, end="")


def large_digits(pairs):
    return file_by(pairs, part=lambda part: part.hex().upper())


def digits_of_repr(pairs):
    return file_by(pairs, part=lambda part: str(part)[2:-1])


def joined_tokens(pairs):
    """Write the joined token in place of its two parts."""
    return file_by(pairs, between="")


def header_at_the_end(pairs):
    return file_by([*pairs], header=[]) + f"merges {len(pairs)}\n"


# --- pairs_to_file, right ------------------------------------------------------------------------


def file_in_parts(pairs):
    return file_by(pairs)


def file_in_a_loop(pairs):
    text = ""
    for left, right in pairs:
        text = " ".join(["".join(f"{byte:02x}" for byte in part) for part in (left, right)]) + "\n" + text
    return "merges " + str(len(pairs)) + "\n" + text


def file_by_popping(pairs):
    left, lines = list(pairs), []
    lines.append("merges %d" % len(left))
    while left:
        lines.append("%s %s" % tuple(part.hex() for part in left.pop()))
    lines.append("")
    return "\n".join(lines)


# --- file_to_pairs, wrong ------------------------------------------------------------------------


def read_by(text, **other):
    """Read a file with exchangeable parts."""
    lines = other.get("split", lambda text: text.replace("\r\n", "\n").split("\n"))(text)
    rows = [(number, line) for number, line in enumerate(lines, 1) if number > 1 and (line or other.get("empty"))]
    if other.get("header", True) and lines[0] != f"merges {len(rows)}":
        return other.get("first", 1)
    digits = other.get("digits", "([0-9a-f]{2})+ ([0-9a-f]{2})+")
    pairs, known, wrong = [], set(), None
    for number, line in reversed(rows):
        if not re.fullmatch(digits, line):
            wrong = number
            continue
        left, right = other.get("parts", lambda line: [bytes.fromhex(part) for part in line.split()])(line)
        if other.get("known", True) and any(len(part) > 1 and part not in known for part in (left, right)):
            wrong = number
        known.add(left + right)
        pairs.append((left, right))
    return pairs if wrong is None else wrong + other.get("shift", 0)


def order_of_the_file(text):
    """Return the pairs in the order of the lines."""
    pairs = read_by(text)
    return pairs if isinstance(pairs, int) else pairs[::-1]


def text_in_place_of_bytes(text):
    return read_by(text, parts=lambda line: line.split(), known=False)


def parts_swapped(text):
    pairs = read_by(text)
    return pairs if isinstance(pairs, int) else [(right, left) for left, right in pairs]


def only_line_feeds(text):
    """Split at line feeds only, and keep the carriage returns."""
    return read_by(text, split=lambda text: text.split("\n"))


def one_kind_of_line_end(text):
    """Look which line end the file has, and split at it."""
    return read_by(text, split=lambda text: text.split("\r\n" if "\r\n" in text else "\n"))


def empty_lines_are_wrong(text):
    return read_by(text, split=lambda text: text.replace("\r\n", "\n").removesuffix("\n").split("\n"), empty=True)


def line_feed_at_the_end(text):
    """Drop the last line, which may be a pair."""
    return read_by(text, split=lambda text: text.replace("\r\n", "\n").split("\n")[:-1] or [""])


def empty_lines_do_not_count(text):
    lines = [line for line in text.replace("\r\n", "\n").split("\n") if line]
    return read_by("\n".join(lines)) if text.strip() else 1


def header_is_skipped(text):
    return read_by(text, header=False)


def lines_from_zero(text):
    return read_by(text, shift=-1, first=0)


def any_number_in_the_header(text):
    """Check that the header has a number, but not which one."""
    rest = text.replace("\r\n", "\n").split("\n")
    if not re.fullmatch(r"merges \d+", rest[0]):
        return 1
    rows = sum(map(bool, rest[1:]))
    return read_by("\n".join([f"merges {rows}", *rest[1:]]))


def value_in_the_header(text):
    """Compare the value of the number in the header, not how it is written."""
    header, *lines = text.split("\n")
    name, _, number = header.partition(" ")
    return read_by("\n".join([f"{name} {int(number)}" if number.isdecimal() else header, *lines]))


def blank_lines_are_empty(text):
    return read_by("\n".join(line if line.strip() else "" for line in text.replace("\r\n", "\n").split("\n")))


def first_pair_is_blamed(text):
    """Return the number of the first pair if any line has not two parts."""
    wrong, lines = read_by(text), text.replace("\r\n", "\n").split("\n")
    if not isinstance(wrong, int) or wrong == 1 or re.fullmatch("([0-9a-f]{2})+ ([0-9a-f]{2})+", lines[wrong - 1]):
        return wrong
    return next(number for number, line in enumerate(lines, 1) if number > 1 and line)


def large_digits_are_digits(text):
    return read_by(text, digits="([0-9a-fA-F]{2})+ ([0-9a-fA-F]{2})+")


def digits_of_fromhex(text):
    """Let `bytes.fromhex` decide what the digits are, and raise its error."""

    def parts(line):
        left, right = line.split(" ")
        return bytes.fromhex(left), bytes.fromhex(right)

    return read_by(text, digits=".*", parts=parts)


def any_spaces(text):
    """Accept any number of spaces between the parts."""
    return read_by(text, digits=" *([0-9a-f]{2})+ +([0-9a-f]{2})+ *")


def wrong_lines_are_skipped(text):
    lines = text.replace("\r\n", "\n").split("\n")
    good = [
        line if number == 0 or re.fullmatch("([0-9a-f]{2})+ ([0-9a-f]{2})+", line) else ""
        for number, line in enumerate(lines)
    ]
    return read_by("\n".join([f"merges {sum(map(bool, good[1:]))}", *good[1:]])) if text.startswith("merges") else 1


def every_part_is_known(text):
    return read_by(text, known=False)


def known_if_anywhere(text):
    """Accept a token that any line makes, also one above."""
    pairs = read_by(text, known=False)
    if isinstance(pairs, int):
        return pairs
    made = {left + right for left, right in pairs}
    lines = text.replace("\r\n", "\n").split("\n")
    for number, line in enumerate(lines[1:], 2):
        if any(len(part) > 2 and bytes.fromhex(part) not in made for part in line.split()):
            return number
    return pairs


def left_part_alone(text):
    """Check the left part only."""
    pairs = read_by(text, known=False)
    if isinstance(pairs, int):
        return pairs
    rows = [number for number, line in enumerate(text.replace("\r\n", "\n").split("\n"), 1) if number > 1 and line]
    for row, (place, (left, _)) in zip(rows, reversed(list(enumerate(pairs)))):
        if len(left) > 1 and left not in {one + other for one, other in pairs[:place]}:
            return row
    return pairs


def number_of_the_pair(text):
    """Return the index of the pair in place of the number of its line."""
    wrong = read_by(text)
    good = read_by(text, known=False)
    return len(good) - wrong + 2 if isinstance(wrong, int) and not isinstance(good, int) else wrong


# --- file_to_pairs, right ------------------------------------------------------------------------


def read_in_parts(text):
    return read_by(text)


def read_by_lines(text):
    """Check each line from the top, and look at all lines below it."""
    lines = text.replace("\r", "").split("\n")
    rows = [number for number in range(1, len(lines)) if lines[number]]
    if lines[0].split(" ") != ["merges", str(len(rows))]:
        return 1
    below = {number: {lines[other].replace(" ", "") for other in rows if other > number} for number in rows}
    for number in rows:
        parts = lines[number].split(" ")
        if len(parts) != 2:
            return number + 1
        for part in parts:
            if not part or len(part) % 2 or part.strip("0123456789abcdef"):
                return number + 1
            if len(part) > 2 and part not in below[number]:
                return number + 1
    return tuple(tuple(bytes.fromhex(part) for part in lines[number].split()) for number in reversed(rows))


def read_by_raising(text):
    """Raise the number of the wrong line, and catch it."""

    class Wrong(Exception):
        pass

    def pair(number, line, known):
        try:
            left, right = [part if part.strip() == part else 1 / 0 for part in line.split(" ")]
            parts = bytes.fromhex(left), bytes.fromhex(right)
            assert all(parts) and left + right == "".join(part.hex() for part in parts)
            assert all(len(part) == 1 or part in known for part in parts)
        except (ValueError, AssertionError, ZeroDivisionError):
            raise Wrong(number) from None
        return parts

    try:
        header, *lines = [line[:-1] if line.endswith("\r") else line for line in text.split("\n")]
        if header != "merges " + str(len(lines) - lines.count("")):
            raise Wrong(1)
        pairs = []
        for number in range(len(lines) + 1, 1, -1):
            if lines[number - 2]:
                pairs.append(pair(number, lines[number - 2], [left + right for left, right in pairs]))
    except Wrong as error:
        return error.args[0]
    return pairs


# --- OwnTokenizer, wrong -------------------------------------------------------------------------


class Whole:
    """A tokenizer that needs no function of the sheet."""

    def __init__(self, special):
        self.special, self.pairs = special, []

    def ids(self):
        """The id of each token, without the special tokens."""
        single = {bytes([byte]): byte for byte in range(256)}
        return single | {left + right: 256 + place for place, (left, right) in enumerate(self.pairs)}

    def special_ids(self):
        return {token: 256 + len(self.pairs) + place for place, token in enumerate(self.special)}

    def parts(self, text):
        return split_by(text, self.special)

    def words(self, part):
        return cut_by(part)

    def learn(self, text, number):
        counts = Counter(word.encode() for part, token in self.parts(text) if not token for word in self.words(part))
        self.pairs = learn_by(counts, number)
        return len(self.pairs)

    def encode(self, text):
        ids, numbers = [], self.ids()
        for part, token in self.parts(text):
            if token:
                ids.append(self.special_ids()[token])
            else:
                ids += [numbers[one] for word in self.words(part) for one in merge_in_order(word.encode(), self.pairs)]
        return ids

    def table(self):
        return {id: token for token, id in self.ids().items()} | {
            id: token.encode() for token, id in self.special_ids().items()
        }

    def decode(self, ids):
        return text_with_surrogates(ids, self.table())

    def save(self):
        return file_by(self.pairs)

    def load(self, file):
        pairs = read_by(file)
        if not isinstance(pairs, int):
            self.pairs = pairs
        return not isinstance(pairs, int)


class SpecialsBeforePairs(Whole):
    """Number the special tokens from 256."""

    def ids(self):
        more = len(self.special)
        return {token: id + more if id > 255 else id for token, id in super().ids().items()}

    def special_ids(self):
        return {token: 256 + place for place, token in enumerate(self.special)}


class SpecialsBackwards(Whole):
    def special_ids(self):
        return dict(zip(self.special, sorted(super().special_ids().values(), reverse=True)))


class PairsFromTheLast(Whole):
    """Number the pairs in the order of the file."""

    def ids(self):
        last = 255 + len(self.pairs)
        return {token: id if id < 256 else 256 + last - id for token, id in super().ids().items()}


class OneIdTooMany(Whole):
    """Leave an id free before the special tokens."""

    def special_ids(self):
        return {token: id + 1 for token, id in super().special_ids().items()}


class MergesAcrossWords(Whole):
    def encode(self, text):
        ids, numbers = [], self.ids()
        for part, token in self.parts(text):
            if token:
                ids.append(self.special_ids()[token])
            else:
                ids += [numbers[one] for one in merge_in_order(part.encode(), self.pairs)]
        return ids


class WordsBeforeSpecials(Whole):
    """Cut into pre-tokens first, and find the special tokens among them."""

    def parts(self, text):
        return [(word, word if word in self.special else None) for word in cut_by(text)]


class SpecialsAreText(Whole):
    def parts(self, text):
        return [(text, None)]


class SpacesAreStripped(Whole):
    """Encode the pre-tokens without their spaces."""

    def words(self, part):
        return [word.strip(" ") for word in cut_by(part)]


class DecodesEachToken(Whole):
    def decode(self, ids):
        return "".join(super(DecodesEachToken, self).decode([id]) for id in ids)


class ForgetsSpecialsInText(Whole):
    """Treat special tokens as unknown when decoding."""

    def decode(self, ids):
        return super().decode([id if id < 256 + len(self.pairs) else -1 for id in ids])


class DropsSpecialsInText(Whole):
    def decode(self, ids):
        return super().decode([id for id in ids if id not in self.special_ids().values()])


class DropsUnknownIds(Whole):
    def decode(self, ids):
        return super().decode([id for id in ids if id in self.table()])


class RaisesAtUnknownIds(Whole):
    def decode(self, ids):
        return text_by(b"".join(self.table()[id] for id in ids))


class LearnsFromSpecials(Whole):
    """Count the special tokens as text."""

    def learn(self, text, number):
        self.pairs = learn_by(Counter(word.encode() for word in cut_by(text)), number)
        return len(self.pairs)


class LearnsAcrossWords(Whole):
    def learn(self, text, number):
        self.pairs = learn_by(Counter(part.encode() for part, token in self.parts(text) if not token), number)
        return len(self.pairs)


class AddsToThePairs(Whole):
    def learn(self, text, number):
        before = self.pairs
        super().learn(text, number)
        self.pairs = [*before, *self.pairs]
        return len(self.pairs)


class SaysWhatWasAsked(Whole):
    """Return the number that was asked for."""

    def learn(self, text, number):
        super().learn(text, number)
        return number


class TableOfTheFile(Whole):
    """Build the table of ids in `load`, and use it after `learn` as well."""

    known = None

    def ids(self):
        return self.known or super().ids()

    def load(self, file):
        loaded, self.known = super().load(file), None
        self.known = self.ids()
        return loaded


class RemembersTexts(Whole):
    """Return the ids of a text that was encoded before, whatever the pairs are now."""

    def encode(self, text):
        self.known = getattr(self, "known", {})
        if text not in self.known:
            self.known[text] = super().encode(text)
        return self.known[text]


class CountsEachWordOnce(Whole):
    def learn(self, text, number):
        words = {word.encode(): 1 for part, token in self.parts(text) if not token for word in self.words(part)}
        self.pairs = learn_by(words, number)
        return len(self.pairs)


class EmptyAfterAWrongFile(Whole):
    """Forget the pairs before reading."""

    def load(self, file):
        self.pairs = []
        return super().load(file)


class LoadsTheNumber(Whole):
    """Return what was read, in place of True or False."""

    def load(self, file):
        super().load(file)
        return read_by(file)


class LoadAdds(Whole):
    def load(self, file):
        before = self.pairs
        loaded = super().load(file)
        self.pairs = [*before, *self.pairs] if loaded else before
        return loaded


# --- OwnTokenizer, right -------------------------------------------------------------------------


class TokenizerInParts(Whole):
    """The one with parts."""


class TokenizerWithTables:
    """Keep the tables of ids, and build them again when the pairs change."""

    def __init__(self, special):
        self.special = tuple(special)
        self.change([])

    def change(self, pairs):
        self.merges = [tuple(pair) for pair in pairs]
        self.bytes_of = [bytes([byte]) for byte in range(256)] + [b"".join(pair) for pair in self.merges]
        self.id_of = {token: id for id, token in enumerate(self.bytes_of)}
        self.first = len(self.bytes_of)
        self.bytes_of += [token.encode() for token in self.special]

    def learn(self, text, number):
        counts = {}
        for part, token in split_by_characters(text, self.special):
            if token is None:
                for word in cut_in_a_loop(part):
                    counts[word.encode()] = counts.setdefault(word.encode(), 0) + 1
        self.change(learn_with_runs(counts, number))
        return len(self.merges)

    def encode(self, text):
        ids = []
        for part, token in split_by_characters(text, self.special):
            if token is not None:
                ids.append(self.first + self.special.index(token))
            else:
                for word in cut_in_a_loop(part):
                    ids.extend(self.id_of[one] for one in merge_by_rank_and_place(word.encode(), self.merges))
        return tuple(ids)

    def decode(self, ids):
        return text_by_errors(ids, dict(enumerate(self.bytes_of)))

    def save(self):
        return file_in_a_loop(self.merges)

    def load(self, file):
        read = read_by_lines(file)
        if type(read) is int:
            return False
        self.change(read)
        return True


class TokenizerAsFile:
    """Keep only the text of the file."""

    def __init__(self, special):
        self.special, self.file = special, "merges 0\n"

    def save(self):
        return self.file

    def load(self, file):
        if isinstance(read_by_raising(file), int):
            return False
        self.file = file_by_popping(read_by_raising(file))
        return True

    def learn(self, text, number):
        words = [word.encode() for part, token in split_by_recursion(text, self.special) if token is None
                 for word in cut_with_borders(part)]  # fmt: skip
        pairs = learn_by_replacing({word: words.count(word) for word in words}, number)
        self.file = file_by_popping(pairs)
        return len(pairs)

    def tokens(self):
        joined = [left + right for left, right in read_by_raising(self.file)]
        return [*(bytes([byte]) for byte in range(256)), *joined, *(token.encode() for token in self.special)]

    def encode(self, text):
        pairs, ids = read_by_raising(self.file), []
        for part, token in split_by_recursion(text, self.special):
            if token:
                ids.append(256 + len(pairs) + list(self.special).index(token))
                continue
            for word in cut_with_borders(part):
                ids += [self.tokens().index(one) for one in merge_backwards(word.encode(), pairs)]
        return ids

    def decode(self, ids):
        return text_by_a_handler(ids, dict(enumerate(self.tokens())))


WRONG: dict[str, dict[Program, list[str]]] = {
    "cut_words": {
        contractions_apart: ["words"],
        apostrophe_alone: ["words"],
        apostrophe_before_a_space: ["words"],
        every_apostrophe: ["words"],
        apostrophe_at_the_end: ["words"],
        ascii_letters: ["words"],
        groups_from_the_left: ["numbers"],
        number_in_one_piece: ["numbers"],
        digits_alone: ["numbers"],
        letters_and_digits_together: ["numbers"],
        point_in_a_number: ["numbers"],
        different_signs_together: ["others"],
        signs_alone: ["others"],
        underscore_is_a_letter: ["others"],
        hyphen_in_a_word: ["others"],
        round_apostrophe: ["others"],
        space_of_the_next: ["spaces"],
        all_spaces_before: ["spaces"],
        line_feed_too: ["spaces"],
        space_alone: ["spaces"],
        no_space_after_groups: ["spaces"],
        each_space_alone: ["spaces"],
        spaces_are_lost: ["spaces"],
    },
    "learn_pairs": {
        counts_overlaps: ["counting"],
        counts_overlaps_of_longer_tokens: ["counting"],
        counts_each_word_once: ["counting", "merging", "ties", "end"],
        counts_a_pair_once_per_word: ["counting", "merging", "ties", "end"],
        never_counts_again: ["merging", "ties", "end"],
        joins_from_the_right: ["merging"],
        characters_are_symbols: ["merging"],
        one_pair_at_least: ["merging"],
        five_pairs_at_most: ["merging"],
        joins_the_first_place: ["merging", "ties", "end"],
        first_seen_wins: ["ties"],
        last_seen_wins: ["ties"],
        joined_tokens_compared: ["ties"],
        rule_of_another: ["ties"],
        merges_single_pairs: ["end"],
        needs_three: ["merging", "ties", "end"],
        a_pair_is_left: ["end"],
        forgets_the_number: ["counting", "merging", "ties"],
    },
    "merge_word": {
        merges_from_the_left: ["right"],
        one_place_for_each_pair: ["rank", "right"],
        rightmost_pair_first: ["rank", "right"],
        last_pair_first: ["rank", "right"],
        longest_token_at_the_end: ["rank", "right"],
        whole_word_is_a_token: ["rank", "right"],
        joined_bytes_decide: ["rank", "right"],
        five_ranks_at_most: ["rank", "right"],
        stops_after_one_pair: ["rank", "right"],
        only_merged_tokens: ["rank", "right", "alone"],
        a_token_is_there: ["alone"],
        characters_for_bytes: ["alone"],
    },
    "cut_special": {
        order_of_the_list: ["matching"],
        shortest_match: ["matching"],
        case_is_ignored: ["matching"],
        longest_of_the_text: ["matching"],
        first_token_only: ["matching", "space", "text"],
        space_of_another: ["space"],
        spaces_on_both_sides: ["space"],
        all_spaces_absorbed: ["space"],
        any_whitespace_absorbed: ["space"],
        only_tabs_and_line_feeds_stay: ["space"],
        nothing_absorbed: ["space"],
        space_in_the_token: ["space"],
        space_is_dropped: ["space"],
        tokens_are_patterns: ["text"],
        empty_parts_stay: ["matching", "space", "text"],
        a_special_token_exists: ["text"],
        text_has_its_part: ["matching", "space", "text"],
    },
    "ids_to_text": {
        decodes_each_token: ["characters", "runs", "own", "unknown"],
        bytes_are_characters: ["characters", "runs", "own", "unknown"],
        sign_of_replace: ["runs", "unknown"],
        sign_for_each_byte: ["runs", "unknown"],
        longer_forms_are_characters: ["runs"],
        sign_is_left_out: ["runs", "own", "unknown"],
        one_sign_for_the_text: ["runs", "own", "unknown"],
        all_signs_together: ["own"],
        own_sign_joins_the_run: ["own"],
        unknown_is_skipped: ["unknown"],
        unknown_is_an_error: ["unknown"],
        unknown_beyond_the_last: ["unknown"],
        unknown_continues_a_character: ["unknown"],
        unknown_has_its_own_sign: ["unknown"],
    },
    "shown_words": {
        characters_at_once: ["words", "characters", "runs", "end"],
        space_waits: ["words", "characters", "runs", "end"],
        first_space_only: ["words"],
        spaces_only: ["words"],
        tab_ends_a_word: ["words"],
        return_ends_a_word: ["words"],
        line_feed_without_a_space: ["words"],
        token_must_end_in_a_space: ["words", "end"],
        everything_with_a_space: ["words", "end"],
        tokens_decoded_alone: ["characters", "runs"],
        torn_bytes_are_lost: ["runs", "end"],
        torn_bytes_by_replace: ["runs"],
        rest_by_replace: ["runs"],
        own_signs_together: ["runs"],
        rest_is_lost: ["words", "characters", "runs", "end"],
        rest_with_the_last: ["words", "characters", "runs", "end"],
        nothing_at_the_end: ["end"],
    },
    "pairs_to_file": {
        first_pair_on_top: ["order"],
        sorted_pairs: ["order"],
        longest_pair_on_top: ["order"],
        no_header: ["lines"],
        header_counts_lines: ["lines"],
        header_counts_pairs_of_bytes: ["lines"],
        number_first: ["lines"],
        no_line_feed_at_the_end: ["lines"],
        large_digits: ["lines"],
        digits_of_repr: ["lines", "order"],
        joined_tokens: ["lines", "order"],
        header_at_the_end: ["lines"],
    },
    "file_to_pairs": {
        order_of_the_file: ["lines", "ends"],
        text_in_place_of_bytes: ["lines", "ends", "known"],
        parts_swapped: ["lines", "ends"],
        only_line_feeds: ["ends"],
        one_kind_of_line_end: ["ends"],
        empty_lines_are_wrong: ["ends", "errors", "known"],
        line_feed_at_the_end: ["ends"],
        empty_lines_do_not_count: ["errors", "known"],
        header_is_skipped: ["errors"],
        lines_from_zero: ["errors", "known"],
        any_number_in_the_header: ["errors"],
        value_in_the_header: ["errors"],
        first_pair_is_blamed: ["errors"],
        blank_lines_are_empty: ["errors"],
        large_digits_are_digits: ["errors"],
        digits_of_fromhex: ["errors"],
        any_spaces: ["errors"],
        wrong_lines_are_skipped: ["errors"],
        every_part_is_known: ["known"],
        known_if_anywhere: ["known"],
        left_part_alone: ["known"],
        number_of_the_pair: ["known"],
    },
    "OwnTokenizer": {
        SpecialsBeforePairs: ["ids", "order", "decode"],
        SpecialsBackwards: ["ids", "order", "decode"],
        PairsFromTheLast: ["ids", "order", "decode"],
        OneIdTooMany: ["ids", "order", "decode"],
        MergesAcrossWords: ["order"],
        WordsBeforeSpecials: ["ids", "order", "learn"],
        SpecialsAreText: ["ids", "order", "learn"],
        SpacesAreStripped: ["order", "learn"],
        DecodesEachToken: ["decode"],
        ForgetsSpecialsInText: ["decode"],
        DropsSpecialsInText: ["decode"],
        DropsUnknownIds: ["decode"],
        RaisesAtUnknownIds: ["decode"],
        LearnsFromSpecials: ["learn"],
        LearnsAcrossWords: ["learn"],
        AddsToThePairs: ["learn"],
        SaysWhatWasAsked: ["learn"],
        TableOfTheFile: ["learn"],
        RemembersTexts: ["learn", "load"],
        CountsEachWordOnce: ["learn"],
        EmptyAfterAWrongFile: ["load"],
        LoadsTheNumber: ["load"],
        LoadAdds: ["load"],
    },
}

RIGHT: dict[str, list[Program]] = {
    "cut_words": [cut_by_pattern, cut_in_a_loop, cut_with_borders],
    "learn_pairs": [learn_in_parts, learn_by_replacing, learn_with_runs],
    "merge_word": [merge_in_order, merge_by_rank_and_place, merge_backwards],
    "cut_special": [split_by_pattern, split_by_recursion, split_by_characters],
    "ids_to_text": [text_with_surrogates, text_by_errors, text_by_a_handler],
    "shown_words": [show_in_parts, show_by_lengths, show_by_an_object],
    "pairs_to_file": [file_in_parts, file_in_a_loop, file_by_popping],
    "file_to_pairs": [read_in_parts, read_by_lines, read_by_raising],
    "OwnTokenizer": [TokenizerInParts, TokenizerWithTables, TokenizerAsFile],
}
