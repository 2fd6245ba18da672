"""Solutions of lessons 13 to 23, each written from the text, the formula, the example and the hints of its task alone.

They follow the text as literally as possible. If one of them fails its check, the text or the check is wrong.
"""

from __future__ import annotations

import math
from math import exp, log

from torch.nn.utils import clip_grad_norm_

from tokenlab.algorithms.attention.attention_weights import dot
from tokenlab.algorithms.attention.sublayers import rms_norm as norm

# Lesson 13.


def one_sublayer(row, w_in, w_out):  # type: ignore[no-untyped-def]
    normed = norm(row, [1] * len(row))
    hidden = [max(0, dot(normed, column)) for column in w_in]
    return [x + dot(hidden, column) for x, column in zip(row, w_out, strict=True)]


def whole_head(queries, keys, values, bias):  # type: ignore[no-untyped-def]
    outputs = []
    for query, biases in zip(queries, bias, strict=True):
        sums = [dot(query, key) + added for key, added in zip(keys, biases, strict=True)]
        powers = [exp(number - max(sums)) for number in sums]
        weights = [power / sum(powers) for power in powers]
        outputs.append([dot(weights, column) for column in zip(*values, strict=True)])
    return outputs


def shared_heads(heads, keys, values):  # type: ignore[no-untyped-def]
    outputs = [whole_head(queries, keys, values, [[0] * len(keys) for _ in queries]) for queries in heads]
    return [sum(rows, []) for rows in zip(*outputs, strict=True)]  # noqa: RUF017  # as the hint says


# Lesson 14.


def rms_norm(vector, weights):  # type: ignore[no-untyped-def]
    mean_square = sum(x * x for x in vector) / len(vector)
    return [x / math.sqrt(mean_square + 1e-6) * weight for x, weight in zip(vector, weights, strict=True)]


def position_bucket(relative_position, bidirectional, num_buckets, max_distance):  # type: ignore[no-untyped-def]
    number, first = num_buckets, 0
    if bidirectional:
        number = num_buckets // 2
        if relative_position > 0:
            first = number
        distance = abs(relative_position)
    else:
        distance = max(0, -relative_position)
    h = number // 2
    if distance < h:
        return first + distance
    return first + min(number - 1, h + int((number - h) * log(distance / h) / log(max_distance / h)))


def line_weights(queries, keys, slope):  # type: ignore[no-untyped-def]
    rows = []
    for i, query in enumerate(queries):
        scores = [
            sum(a * b for a, b in zip(query, key, strict=True)) - slope * abs(i - j) for j, key in enumerate(keys)
        ]
        powers = [exp(score - max(scores)) for score in scores]
        rows.append([power / sum(powers) for power in powers])
    return rows


# Lesson 15.


def shift_right(labels, start, pad):  # type: ignore[no-untyped-def]
    shifted = [start, *labels[:-1]]
    return [pad if label == -100 else label for label in shifted]


def decoder_mask(attention_mask, min_value):  # type: ignore[no-untyped-def]
    positions = range(len(attention_mask))
    return [[0 if key <= query and attention_mask[key] else min_value for key in positions] for query in positions]


def cached_step(query, key, value, cache, biases):  # type: ignore[no-untyped-def]
    keys, values = [*cache[0], key], [*cache[1], value]
    last = len(keys) - 1
    scores = [sum(a * b for a, b in zip(query, one, strict=True)) + biases[last - at] for at, one in enumerate(keys)]
    powers = [exp(score) for score in scores]
    weights = [power / sum(powers) for power in powers]
    output = [sum(w * row[column] for w, row in zip(weights, values, strict=True)) for column in range(len(value))]
    return output, (keys, values)


# Lesson 16.


def corrupted_input(tokens, mask, sentinels):  # type: ignore[no-untyped-def]
    inputs, used = [], 0
    for place, token in enumerate(tokens):
        if not mask[place]:
            inputs.append(token)
        elif not mask[place - 1]:
            inputs.append(sentinels[used])
            used += 1
    return [*inputs, "</s>"]


def corrupted_target(ids, mask, top):  # type: ignore[no-untyped-def]
    target = []
    before = True
    for id, noise in zip(ids, mask, strict=True):
        if noise:
            target.append(id)
        elif before:
            target.append(top)
            top -= 1
        before = noise
    return [*target, 1]


def filled(question, answer):  # type: ignore[no-untyped-def]
    gaps: dict[str, list[str]] = {}
    for token in answer:
        if token == "</s>":
            break
        if token.startswith("<extra_id_"):
            gaps[token] = current = []
        else:
            current.append(token)
    result = []
    for token in question:
        if token in gaps:
            result += gaps[token]
        else:
            result.append(token)
    return result


def _runs(number, spans, random):  # type: ignore[no-untyped-def]
    positions = [0, *sorted(random.sample(range(1, number), spans - 1)), number]
    return [after - before for before, after in zip(positions, positions[1:], strict=False)]


def masks_drawn(kept, noise, spans, random):  # type: ignore[no-untyped-def]
    mask: list[bool] = []
    for one, other in zip(_runs(kept, spans, random), _runs(noise, spans, random), strict=True):
        mask += [False] * one + [True] * other
    return mask


# Lesson 17.


def keep_top_p(probabilities, top_p):  # type: ignore[no-untyped-def]
    kept, mass = [], 0
    for token in sorted(range(len(probabilities)), key=lambda token: -probabilities[token]):
        if mass >= top_p:
            break
        kept.append(token)
        mass += probabilities[token]
    return sorted(kept)


def repetition_penalty(logits, generated, penalty):  # type: ignore[no-untyped-def]
    return [
        logit if token not in generated else logit * penalty if logit < 0 else logit / penalty
        for token, logit in enumerate(logits)
    ]


def keep_typical(probabilities, mass):  # type: ignore[no-untyped-def]
    surprisals = [-log(probability) for probability in probabilities]
    entropy = sum(p * surprisal for p, surprisal in zip(probabilities, surprisals, strict=True))
    kept, reached = [], 0
    for token in sorted(range(len(probabilities)), key=lambda token: abs(surprisals[token] - entropy)):
        if reached >= mass:
            break
        kept.append(token)
        reached += probabilities[token]
    return sorted(kept)


# Lesson 18.


def beam_candidates(sums, rows):  # type: ignore[no-untyped-def]
    totals = [before + log_p for before, row in zip(sums, rows, strict=True) for log_p in row]
    best = sorted(range(len(totals)), key=lambda index: -totals[index])[: 2 * len(sums)]
    return [(*divmod(index, len(rows[0])), totals[index]) for index in best]


def beam_step(beams, candidates, eos):  # type: ignore[no-untyped-def]
    running, hypotheses = [], []
    for place, (beam, token, total) in enumerate(candidates):
        if token == eos:
            if place < len(beams):
                hypotheses.append((beams[beam], total))
        elif len(running) < len(beams):
            running.append(([*beams[beam], token], total))
    return running, hypotheses


def beam_winner(hypotheses, prompt, length_penalty):  # type: ignore[no-untyped-def]
    return max(hypotheses, key=lambda one: one[1] / (len(one[0]) - prompt) ** length_penalty)[0]


# Lesson 19.


def bank_number(lengths, done):  # type: ignore[no-untyped-def]
    longest, pairs = max(lengths), list(zip(lengths, done, strict=True))
    complete = sum(length == matched for length, matched in pairs)
    missing = [length - matched for length, matched in pairs if 0 < matched < length]
    return longest * complete + sum(longest - left for left in missing)


def phrase_progress(phrase, tokens):  # type: ignore[no-untyped-def]
    done = 0
    for token in tokens:
        if done < len(phrase):
            if token == phrase[done]:
                done += 1
            else:
                done = 0
    return done


def bank_order(banks, scores):  # type: ignore[no-untyped-def]
    left = list(range(len(banks)))
    order = []
    while left:
        for bank in sorted({*banks}, reverse=True):
            of_bank = [candidate for candidate in left if banks[candidate] == bank]
            if of_bank:
                best = max(of_bank, key=lambda candidate: scores[candidate])
                order.append(best)
                left.remove(best)
    return order


def penalized_logits(scores, chosen, penalty):  # type: ignore[no-untyped-def]
    counts = [chosen.count(id) for id in range(len(scores))]
    return [score - penalty * count for score, count in zip(scores, counts, strict=True)]


# Lesson 20.


def cosine_similarity(left, right):  # type: ignore[no-untyped-def]
    norms = [sum(x * x for x in vector) ** 0.5 for vector in (left, right)]
    return sum(x * y for x, y in zip(left, right, strict=True)) / (norms[0] * norms[1])


def contrastive_choice(probabilities, states, past, alpha):  # type: ignore[no-untyped-def]
    scores = [
        (1 - alpha) * probability - alpha * max(cosine_similarity(state, one) for one in past)
        for probability, state in zip(probabilities, states, strict=True)
    ]
    return scores.index(max(scores))


def ready(received):  # type: ignore[no-untyped-def]
    for pending in range(4):
        shown = received[: len(received) - pending]
        try:
            return shown.decode(), received[len(shown) :]
        except UnicodeDecodeError:
            continue
    raise AssertionError("more than 3 bytes are pending")


def start_once(ids, start):  # type: ignore[no-untyped-def]
    return ids if ids[:1] == [start] else [start, *ids]


# Lesson 21.


def names_to_try(tokenizer_class, use_fast):  # type: ignore[no-untyped-def]
    if use_fast and not tokenizer_class.endswith("Fast"):
        return [tokenizer_class + "Fast", tokenizer_class]
    return [tokenizer_class]


def tokenizer_name(tokenizer_config, config, mapping):  # type: ignore[no-untyped-def]
    for file in (tokenizer_config, config):
        if file is not None and file.get("tokenizer_class"):
            return file["tokenizer_class"]
    if config is not None:
        return mapping.get(config.get("model_type"), "")
    return ""


def chosen_model(architectures, models):  # type: ignore[no-untyped-def]
    for name in architectures or []:
        if name in models:
            return name
    return models[0]


# Lesson 22.


def growth_exponent(size, time, larger_size, longer_time):  # type: ignore[no-untyped-def]
    size_factor, time_factor = larger_size / size, longer_time / time
    return log(time_factor) / log(size_factor)


def cached_tokens(words, encode):  # type: ignore[no-untyped-def]
    known: dict[str, list[str]] = {}
    tokens: list[str] = []
    for word in words:
        if word not in known:
            known[word] = encode(word)
        tokens.extend(known[word])
    return tokens


def median_ratio(first, second):  # type: ignore[no-untyped-def]
    ratios = sorted(two[1] / one[1] for one, two in zip(first, second, strict=True))
    return ratios[len(ratios) // 2]


# Lesson 23.


def tokens_per_word(text, tokens):  # type: ignore[no-untyped-def]
    words = text.split()
    return len(tokens) / len(words) if words else 0


def _boundaries(parts):  # type: ignore[no-untyped-def]
    found, total = set(), 0
    for part in parts[:-1]:
        total += len(part)
        found.add(total)
    return found


def boundary_scores(tokens, morphemes):  # type: ignore[no-untyped-def]
    mine, right = _boundaries(tokens), _boundaries(morphemes)
    return len(mine & right) / len(mine) if mine else 1, len(mine & right) / len(right) if right else 1


def changed_share(before, after):  # type: ignore[no-untyped-def]
    if not before:
        return 1 if after else 0
    one, other = list(before), list(after)
    while one and other and one[0] == other[0]:
        one.pop(0)
        other.pop(0)
    while one and other and one[-1] == other[-1]:
        one.pop()
        other.pop()
    return len(one) / len(before)


def first_loss(text, decoded):  # type: ignore[no-untyped-def]
    for index in range(max(len(text), len(decoded))):
        if text[index : index + 1] != decoded[index : index + 1]:
            return index
    return -1


# Lessons 13 and 16: part and effect, and one training step.


def part_and_effect(row, sublayers, direction, number):  # type: ignore[no-untyped-def]
    def dot(one, other):  # type: ignore[no-untyped-def]
        return sum(a * b for a, b in zip(one, other, strict=True))

    def run(row, sublayers):  # type: ignore[no-untyped-def]
        for matrix in sublayers:
            row = [x + dot(line, row) for x, line in zip(row, matrix, strict=True)]
        return row

    before = run(row, sublayers[:number])
    output = [dot(line, before) for line in sublayers[number]]
    without = run(row, sublayers[:number] + sublayers[number + 1 :])
    return dot(output, direction), dot(run(row, sublayers), direction) - dot(without, direction)


def train_step(model, optimizer, batch, rate):  # type: ignore[no-untyped-def]
    for group in optimizer.param_groups:
        group["lr"] = rate
    loss = model(**batch).loss
    loss.backward()
    clip_grad_norm_(model.parameters(), max_norm=1.0)
    optimizer.step()
    optimizer.zero_grad()
    return loss.item()


# Lesson 19: the mask of a filter.


def forbidden_next(written, bad_words):  # type: ignore[no-untyped-def]
    forbidden = set()
    for word in bad_words:
        n = len(word) - 1
        if len(written) >= n and written[len(written) - n :] == word[:-1]:
            forbidden.add(word[-1])
    return forbidden
