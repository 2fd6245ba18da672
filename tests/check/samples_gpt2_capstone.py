"""First capstone: right programs in three styles, and wrong ones with their rules."""

from __future__ import annotations

import base64
import codecs
import itertools
import re
from collections import Counter
from typing import Any

import regex

from tokenlab.check import FunctionCheck
from tokenlab.check.capstones import gpt2_tokenizer as parts
from tokenlab.check.capstones import gpt2_training as training

PATTERN = r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"


def utf8_1(text: Any) -> Any:
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace").encode()


def utf8_2(text: Any) -> Any:
    joined = re.sub(
        "[\ud800-\udbff][\udc00-\udfff]",
        lambda two: chr(0x10000 + (ord(two[0][0]) - 0xD800) * 1024 + ord(two[0][1]) - 0xDC00),
        text,
    )
    return re.sub("[\ud800-\udfff]", "\ufffd", joined).encode("utf-8")


def utf8_3(text: Any) -> Any:
    out, at = bytearray(), 0
    while at < len(text):
        two = text[at : at + 2]
        if len(two) == 2 and "\ud800" <= two[0] <= "\udbff" and "\udc00" <= two[1] <= "\udfff":
            out += two.encode("utf-16-be", "surrogatepass").decode("utf-16-be").encode()
            at += 2
            continue
        one = two[:1]
        out += b"\xef\xbf\xbd" if "\ud800" <= one <= "\udfff" else one.encode()
        at += 1
    return bytes(out)


def pieces_1(text: Any) -> Any:
    return regex.findall(PATTERN, text)


def pieces_2(text: Any) -> Any:
    return [match.group() for match in regex.finditer(PATTERN, text)]


def pieces_3(text: Any) -> Any:
    return regex.findall(r"'(?:[stmd]|ll|ve|re)| ?(?:\p{L}+|\p{N}+|[^\s\p{L}\p{N}]+)|\s+(?!\S)|\s+", text)


def count_1(word_counts: Any) -> Any:
    counts: dict[Any, int] = {}
    for word, count in word_counts.items():
        for pair in itertools.pairwise(word):
            counts[pair] = counts.get(pair, 0) + count
    return counts


def count_2(word_counts: Any) -> Any:
    counts: Counter[Any] = Counter()
    for word, count in word_counts.items():
        for at in range(len(word) - 1):
            counts[word[at], word[at + 1]] += count
    return counts


def count_3(word_counts: Any) -> Any:
    every = ((pair, count) for word, count in word_counts.items() for pair in itertools.pairwise(word))
    counts: dict[Any, int] = {}
    for pair, count in every:
        counts.setdefault(pair, 0)
        counts[pair] += count
    return counts


def merge_1(word: Any, pair: Any) -> Any:
    parts = list(word)
    at = 0
    while at + 1 < len(parts):
        if (parts[at], parts[at + 1]) == tuple(pair):
            parts[at : at + 2] = [parts[at] + parts[at + 1]]
        at += 1
    return tuple(parts)


def merge_2(word: Any, pair: Any) -> Any:
    out: list[Any] = []
    symbols = iter(range(len(word)))
    for at in symbols:
        if word[at : at + 2] == pair:
            out.append(pair[0] + pair[1])
            next(symbols)
        else:
            out.append(word[at])
    return tuple(out)


def merge_3(word: Any, pair: Any) -> Any:
    if len(word) < 2:
        return word
    if word[:2] == pair:
        return (pair[0] + pair[1], *merge_3(word[2:], pair))
    return (word[0], *merge_3(word[1:], pair))


def train_1(word_counts: Any, num_tokens: Any) -> Any:
    words = {tuple(bytes([byte]) for byte in word): count for word, count in word_counts.items()}
    tokens: list[Any] = []
    while len(tokens) < num_tokens:
        counts = count_1(words)
        if not counts:
            break
        best = min(counts, key=lambda pair: (-counts[pair], pair))
        if best[0] + best[1] not in tokens:
            tokens.append(best[0] + best[1])
        words = {merge_1(word, best): count for word, count in words.items()}
    return tokens


def train_2(word_counts: Any, num_tokens: Any) -> Any:
    words = [([bytes([byte]) for byte in word], count) for word, count in word_counts.items()]
    tokens: dict[Any, None] = {}
    while len(tokens) < num_tokens:
        counts: Counter[Any] = Counter()
        for word, count in words:
            for pair in itertools.pairwise(word):
                counts[pair] += count
        if not counts:
            return list(tokens)
        [best, *_] = sorted(counts, key=lambda pair: (-counts[pair], *pair))
        tokens[b"".join(best)] = None
        words = [(list(merge_2(tuple(word), best)), count) for word, count in words]
    return list(tokens)


def train_3(word_counts: Any, num_tokens: Any, tokens: Any = ()) -> Any:
    words = {tuple(word[at : at + 1] for at in range(len(word))): count for word, count in word_counts.items()}
    found = list(tokens)
    while (counts := count_3(words)) and len(found) < num_tokens:
        top = max(counts.values())
        best = sorted(pair for pair in counts if counts[pair] == top)[0]
        found += [] if b"".join(best) in found else [b"".join(best)]
        words = {merge_3(word, best): count for word, count in words.items()}
    return tuple(found)


def quick_1(word_counts: Any, num_tokens: Any) -> Any:
    words = [[bytes([byte]) for byte in word] for word in word_counts]
    numbers = list(word_counts.values())
    counts: Counter[Any] = Counter()
    where: dict[Any, set[int]] = {}
    for at, word in enumerate(words):
        for pair in itertools.pairwise(word):
            counts[pair] += numbers[at]
            where.setdefault(pair, set()).add(at)
    tokens: list[Any] = []
    while len(tokens) < num_tokens:
        top = max(counts.values(), default=0)
        if not top:
            break
        best = min(pair for pair, count in counts.items() if count == top)
        if best[0] + best[1] not in tokens:
            tokens.append(best[0] + best[1])
        for at in where.pop(best):
            counts.subtract({pair: n * numbers[at] for pair, n in Counter(itertools.pairwise(words[at])).items()})
            words[at] = list(merge_1(tuple(words[at]), best))
            for pair in itertools.pairwise(words[at]):
                counts[pair] += numbers[at]
                where.setdefault(pair, set()).add(at)
    return tokens


def quick_2(word_counts: Any, num_tokens: Any) -> Any:
    return tuple(quick_1(word_counts, num_tokens))


def quick_3(word_counts: Any, num_tokens: Any) -> Any:
    return training.learn(word_counts, num_tokens)


def piece_1(piece: Any, ranks: Any) -> Any:
    if piece in ranks:
        return [ranks[piece]]
    parts = [bytes([byte]) for byte in piece]
    while len(parts) > 1:
        joined = [ranks.get(left + right, float("inf")) for left, right in itertools.pairwise(parts)]
        lowest = min(joined)
        if lowest == float("inf"):
            break
        at = joined.index(lowest)
        parts[at : at + 2] = [parts[at] + parts[at + 1]]
    return [ranks[part] for part in parts]


def piece_2(piece: Any, ranks: Any) -> Any:
    def shrink(parts: Any) -> Any:
        found = [(ranks[a + b], n) for n, (a, b) in enumerate(itertools.pairwise(parts)) if a + b in ranks]
        if not found:
            return parts
        _, n = min(found)
        return shrink([*parts[:n], parts[n] + parts[n + 1], *parts[n + 2 :]])

    whole = ranks.get(piece)
    return tuple(ranks[part] for part in shrink([bytes([b]) for b in piece])) if whole is None else (whole,)


def piece_3(piece: Any, ranks: Any) -> Any:
    ends = [*range(len(piece) + 1)]
    while len(ends) > 2 and piece not in ranks:
        scored = {n: ranks.get(piece[ends[n] : ends[n + 2]]) for n in range(len(ends) - 2)}
        known = {n: rank for n, rank in scored.items() if rank is not None}
        if not known:
            break
        del ends[min(known, key=lambda n: (known[n], n)) + 1]
    return [ranks[piece]] if piece in ranks else [ranks[piece[a:b]] for a, b in itertools.pairwise(ends)]


def special_1(text: Any, special: Any) -> Any:
    if not special:
        return [text] if text else []
    pattern = "|".join(map(re.escape, sorted(special, key=len, reverse=True)))
    return [part for part in re.split(f"({pattern})", text) if part]


def special_2(text: Any, special: Any) -> Any:
    parts, start, at = [], 0, 0
    while at < len(text):
        found = max((token for token in special if text.startswith(token, at)), key=len, default="")
        if found:
            parts += [text[start:at], found]
            start = at = at + len(found)
        else:
            at += 1
    return [part for part in (*parts, text[start:]) if part]


def special_3(text: Any, special: Any) -> Any:
    if not text:
        return ()
    at, _, token = min(((text.find(t), -len(t), t) for t in special if t in text), default=(-1, 0, ""))
    if at < 0:
        return (text,)
    return ((text[:at],) if at else ()) + (token, *special_3(text[at + len(token) :], special))


def decode_1(ids: Any, tokens: Any) -> Any:
    return b"".join([tokens[id] for id in ids]).decode(errors="replace")


def decode_2(ids: Any, tokens: Any) -> Any:
    data = bytearray()
    for id in ids:
        data += tokens[id]
    return data.decode("utf-8", "replace")


def decode_3(ids: Any, tokens: Any) -> Any:
    return "".join(codecs.iterdecode((tokens[id] for id in ids), "utf-8", "replace"))


def stream_1(ids: Any, tokens: Any) -> Any:
    decoder = codecs.getincrementaldecoder("utf-8")(errors="replace")
    texts = [decoder.decode(tokens[id]) for id in ids]
    if texts:
        texts[-1] += decoder.decode(b"", final=True)
    return texts


def stream_2(ids: Any, tokens: Any) -> Any:
    decoder = codecs.lookup("utf-8").incrementaldecoder("replace")
    return tuple(decoder.decode(tokens[id], n == len(ids) - 1) for n, id in enumerate(ids))


def stream_3(ids: Any, tokens: Any) -> Any:
    texts: list[str] = []
    shown = ""
    for n in range(1, len(ids) + 1):
        decoder = codecs.getincrementaldecoder("utf-8")("replace")
        text = decoder.decode(b"".join(tokens[id] for id in ids[:n]), n == len(ids))
        texts.append(text[len(shown) :])
        shown = text
    return texts


def save_1(ranks: Any) -> Any:
    text = ""
    for token in sorted(ranks, key=ranks.get):
        text += base64.b64encode(token).decode("ascii") + " " + str(ranks[token]) + "\n"
    return text


def save_2(ranks: Any) -> Any:
    by_rank = {rank: token for token, rank in ranks.items()}
    return "".join(f"{base64.standard_b64encode(by_rank[rank]).decode()} {rank}\n" for rank in sorted(by_rank))


def save_3(ranks: Any) -> Any:
    rows = sorted((rank, token) for token, rank in ranks.items())
    return b"".join(base64.b64encode(token) + b" %d\n" % rank for rank, token in rows).decode()


def read_1(text: Any) -> Any:
    ranks = {}
    for line in text.split("\n"):
        if line.strip():
            token, rank = line.split()
            ranks[base64.b64decode(token)] = int(rank)
    return ranks


def read_2(text: Any) -> Any:
    return {base64.b64decode(a): int(b) for a, b in (line.split(" ") for line in text.splitlines() if line)}


def read_3(text: Any) -> Any:
    words = text.split()
    return dict(zip(map(base64.b64decode, words[::2]), map(int, words[1::2]), strict=True))


class Tokenizer1:
    def __init__(self, ranks: Any, special: Any) -> None:
        self.ranks, self.special = ranks, special
        self.tokens = {id: token for token, id in ranks.items()} | {id: t.encode() for t, id in special.items()}

    def encode(self, text: Any) -> Any:
        ids: list[int] = []
        for part in special_1(text, [*self.special]):
            if part in self.special:
                ids.append(self.special[part])
                continue
            for piece in pieces_1(part):
                ids += piece_1(utf8_1(piece), self.ranks)
        return ids

    def decode(self, ids: Any) -> Any:
        return decode_1(ids, self.tokens)


class Tokenizer2(Tokenizer1):
    def encode(self, text: Any) -> Any:
        parts = special_2(text, self.special)
        of_part = lambda part: [i for p in pieces_2(part) for i in piece_3(utf8_2(p), self.ranks)]  # noqa: E731
        return tuple(id for part in parts for id in ([self.special[part]] if part in self.special else of_part(part)))


class Tokenizer3(Tokenizer1):
    def __init__(self, ranks: Any, special: Any) -> None:
        super().__init__(ranks, special)
        self.known: dict[str, list[int]] = {}

    def encode(self, text: Any) -> Any:
        ids: list[int] = []
        for part in special_1(text, [*self.special]):
            for piece in [part] if part in self.special else pieces_3(part):
                if piece not in self.known:
                    mine = self.special.get(piece) if part in self.special else None
                    self.known[piece] = piece_1(utf8_3(piece), self.ranks) if mine is None else [mine]
                ids += self.known[piece]
        return ids


VARIANTS: dict[str, Any] = {
    "utf8_bytes": (utf8_1, utf8_2, utf8_3),
    "gpt2_pieces": (pieces_1, pieces_2, pieces_3),
    "count_byte_pairs": (count_1, count_2, count_3),
    "merge_byte_pair": (merge_1, merge_2, merge_3),
    "train_bytes": (train_1, train_2, train_3),
    "train_quickly": (quick_1, quick_2, quick_3),
    "encode_piece": (piece_1, piece_2, piece_3),
    "special_parts": (special_1, special_2, special_3),
    "decode_ids": (decode_1, decode_2, decode_3),
    "stream_texts": (stream_1, stream_2, stream_3),
    "save_ranks": (save_1, save_2, save_3),
    "read_ranks": (read_1, read_2, read_3),
    "gpt2_tokenizer": (Tokenizer1, Tokenizer2, Tokenizer3),
}
# The wrong programs that the checks know; a large input is written in full where only many words show the error.
WRONG: dict[str, Any] = {
    name: [(program, rule, 90) for program, rule in one.known_wrong]
    for module in (parts, training)
    for name, one in vars(module).items()
    if isinstance(one, FunctionCheck)
}
# The first is the one that graders try, and a slow program fails only for the largest input of the check.
WRONG["train_quickly"] = [(program, rule, 100_000) for program, rule, _ in reversed(WRONG["train_quickly"])]
RIGHT: dict[str, Any] = {}
NOT_RIGHT: list[Any] = []
SHOWS: dict[Any, Any] = {}
DOES_NOT: dict[Any, Any] = {}
CAUGHT: dict[str, Any] = {}
