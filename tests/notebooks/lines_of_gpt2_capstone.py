"""The first capstone: the lines of each task that a learner changes, and a wrong version of them."""

from __future__ import annotations

LINES = [
    (("    return ..."), ('    return text.encode("utf-8", "replace")')),
    (
        ("    return regex.findall(PATTERN, ...)"),
        ('    return regex.findall(PATTERN + r"| ?\\p{N}+| ?[^\\s\\p{L}\\p{N}]+|\\s+", text)'),
    ),
    (
        ("    return ..."),
        (
            "    for word in word_counts:\n"
            "        for pair in zip(word, word[1:]):\n"
            "            counts[pair] = counts.get(pair, 0) + 1\n"
            "    return counts"
        ),
    ),
    (
        ("    return ..."),
        (
            '    for left, right in zip(word, (*word[1:], b"")):\n'
            "        merged.append(left + right if (left, right) == pair else left)\n"
            "    return tuple(merged)"
        ),
    ),
    (
        ("    return ..."),
        (
            "    while len(tokens) < num_tokens and (counts := my_pair_counts(words)):\n"
            "        best = max(counts, key=counts.get)\n"
            '        tokens += [b"".join(best)] * (b"".join(best) not in tokens)\n'
            "        words = {my_merge(word, best): count for word, count in words.items()}\n"
            "    return tokens"
        ),
    ),
    (("    return ..."), ("    return my_train(word_counts, num_tokens)[:-1] if num_tokens else tokens")),
    (
        ("    return ..."),
        (
            "    if piece in ranks:\n"
            "        return [ranks[piece]]\n"
            "    while found := [n for n in range(len(parts) - 1) if parts[n] + parts[n + 1] in ranks]:\n"
            "        parts[found[0] : found[0] + 2] = [parts[found[0]] + parts[found[0] + 1]]\n"
            "    return [ranks[part] for part in parts]"
        ),
    ),
    (
        ("    return ..."),
        (
            '    pattern = "|".join(special)\n'
            '    return [part for part in regex.split(f"({pattern})", text) if part] if special else [text]'
        ),
    ),
    (("    return ..."), ('    return "".join(tokens[id].decode("utf-8", "replace") for id in ids)')),
    (("    return ..."), ('    return [tokens[id].decode("utf-8", "replace") for id in ids]')),
    (
        ("    return ..."),
        ('    return "".join(f"{base64.b64encode(token).decode()} {rank}\\n" for token, rank in ranks.items())'),
    ),
    (
        ("    return ..."),
        (
            "    for line in text.splitlines():\n"
            "        if line:\n"
            "            ranks[line.split()[0].encode()] = int(line.split()[1])\n"
            "    return ranks"
        ),
    ),
    (
        ("    def encode(self, text):\n        return ...\n\n    def decode(self, ids):\n        return ..."),
        (
            "    def encode(self, text):\n"
            "        return [id for piece in my_pieces(text) for id in my_encode_piece(my_utf8(piece), self.ranks)]\n"
            "\n"
            "    def decode(self, ids):\n"
            "        tokens = {id: token for token, id in self.ranks.items()}\n"
            "        return my_decode(ids, tokens)"
        ),
    ),
]
