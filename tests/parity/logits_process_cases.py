"""Random scores and arguments for every processor and warper, and arguments that nobody should give."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import torch

Case = dict[str, Any]
Change = list[Any]  # a name and its arguments


class Situation:
    """Some rows of ids and scores, drawn by a seed, and arguments drawn to fit them."""

    def __init__(self, seed: int) -> None:
        self.generator = torch.Generator().manual_seed(seed)
        self.batch, self.beams = self.whole(1, 3), self.whole(1, 4)
        self.rows, self.vocab_size = self.batch * self.beams, self.whole(3, 40)
        self.length = self.whole(1, 12)

    def whole(self, low: int, high: int) -> int:
        return int(torch.randint(low, high + 1, (), generator=self.generator))

    def share(self, low: float = 0.01, high: float = 0.99) -> float:
        return low + (high - low) * float(torch.rand((), generator=self.generator))

    def ids(self, *shape: int) -> Any:
        """Ids of few kinds, so that runs come again."""
        return torch.randint(0, min(self.vocab_size, self.whole(2, 40)), shape, generator=self.generator).tolist()

    def several(self, most: int = 4) -> list[int]:
        return [self.whole(0, self.vocab_size - 1) for _ in range(self.whole(1, most))]

    def scores(self) -> list[list[float]]:
        """Usual ones, steep or flat ones, ties, log-probabilities, and some with forbidden tokens already."""
        spread = (0.1, 1.0, 5.0, 60.0)[self.whole(0, 3)]
        scores = spread * torch.randn(self.rows, self.vocab_size, generator=self.generator)
        kind = self.whole(0, 4)
        if kind == 1:
            scores = scores.round()
        elif kind == 2:
            scores = scores.log_softmax(-1)
        elif kind == 3:
            forbidden = torch.rand(scores.shape, generator=self.generator) < 0.5
            forbidden[:, self.whole(0, self.vocab_size - 1)] = False
            scores = scores.masked_fill(forbidden, -math.inf)
        elif kind == 4:
            scores = torch.zeros_like(scores)
        return scores.tolist()

    def case(self, *changes: Change, **more: Any) -> Case:
        return {
            "changes": list(changes),
            "input_ids": self.ids(self.rows, self.length),
            "scores": self.scores(),
            **more,
        }


def bad_words(at: Situation) -> Change:
    words = [at.ids(at.whole(1, 3)) for _ in range(at.whole(1, 12))]
    return ["NoBadWordsLogitsProcessor", words, (None, at.whole(0, at.vocab_size - 1), at.several())[at.whole(0, 2)]]


def cutoff(name: str) -> Callable[[Situation], Change]:
    return lambda at: [name, at.share(0.001, 0.4), -math.inf, at.whole(1, 4)]


NOTHING = "prefix, for some nothing"
CHANGES: dict[str, Callable[[Situation], Change]] = {
    "min length": lambda at: ["MinLengthLogitsProcessor", at.whole(0, 12), at.several()],
    "min length, one end": lambda at: ["MinLengthLogitsProcessor", at.whole(0, 12), at.several(1)[0]],
    "min new tokens": lambda at: [
        "MinNewTokensLengthLogitsProcessor", at.whole(0, 6), at.whole(0, 6), at.several(1)[0]
    ],
    "temperature": lambda at: ["TemperatureLogitsWarper", at.share(0.05, 3.0)],
    "repetition": lambda at: ["RepetitionPenaltyLogitsProcessor", at.share(0.1, 3.0)],
    "encoder repetition": lambda at: [
        "EncoderRepetitionPenaltyLogitsProcessor", at.share(0.1, 3.0), {"tensor": at.ids(at.rows, at.whole(1, 8))}
    ],
    "top p": lambda at: ["TopPLogitsWarper", at.share(), (-math.inf, -7.5)[at.whole(0, 1)], at.whole(1, 4)],
    "top p, all of it": lambda at: ["TopPLogitsWarper", 1.0],
    "top k": lambda at: ["TopKLogitsWarper", at.whole(1, 45), (-math.inf, -7.5)[at.whole(0, 1)], at.whole(1, 4)],
    "typical": lambda at: ["TypicalLogitsWarper", at.share(), -math.inf, at.whole(1, 4)],
    "epsilon": cutoff("EpsilonLogitsWarper"),
    "eta": cutoff("EtaLogitsWarper"),
    "no repeat": lambda at: ["NoRepeatNGramLogitsProcessor", at.whole(1, 4)],
    "encoder no repeat": lambda at: [
        "EncoderNoRepeatNGramLogitsProcessor", at.whole(1, 4), {"tensor": at.ids(at.batch, at.whole(1, 12))}
    ],
    "encoder no repeat, one source": lambda at: [
        "EncoderNoRepeatNGramLogitsProcessor", at.whole(1, 3), {"tensor": at.ids(at.whole(1, 12))}
    ],
    "bad words": bad_words,
    "prefix": lambda at: [
        "PrefixConstrainedLogitsProcessor", {"allowed": [at.several() for _ in range(5)]}, at.beams
    ],
    "forced bos": lambda at: ["ForcedBOSTokenLogitsProcessor", at.several(1)[0]],
    "forced eos": lambda at: ["ForcedEOSTokenLogitsProcessor", at.length + at.whole(0, 2), at.several()],
    "inf and nan": lambda at: ["InfNanRemoveLogitsProcessor"],
    "normalization": lambda at: ["LogitNormalization"],
    "suppress": lambda at: ["SuppressTokensLogitsProcessor", at.several()],
    "suppress nothing": lambda at: ["SuppressTokensLogitsProcessor", []],
    "suppress at begin": lambda at: ["SuppressTokensAtBeginLogitsProcessor", at.several(), at.length - at.whole(0, 1)],
    "force": lambda at: [
        "ForceTokensLogitsProcessor", [[at.length + at.whole(-1, 1), at.several(1)[0]], [at.length + 1, None]]
    ],
    NOTHING: lambda at: [
        "PrefixConstrainedLogitsProcessor", {"allowed": [at.several() if row % 2 else [] for row in range(5)]}, at.beams
    ],
}  # fmt: skip


def case_of(kind: str, seed: int) -> Case:
    at = Situation(seed)
    return at.case(CHANGES[kind](at))


def chain_of(seed: int) -> Case:
    """Several changes after each other; eta comes first, for in 4.26.1 it dies where nothing is allowed any more."""
    at = Situation(seed)
    names = [name for name in CHANGES if name != NOTHING]  # after which some changes die there
    changes = [CHANGES[names[at.whole(0, len(names) - 1)]](at) for _ in range(at.whole(2, 5))]
    return at.case(*sorted(changes, key=lambda change: change[0] != "EtaLogitsWarper"))


def hamming(seed: int) -> Case:
    at = Situation(seed)
    groups, size = at.whole(2, 4), at.whole(1, 3)
    at.rows = at.batch * size
    tokens = at.ids(at.batch * groups * size)
    change = ["HammingDiversityLogitsProcessor", at.share(0.1, 3.0), groups * size, groups]
    return at.case(change, call={"current_tokens": {"tensor": tokens}, "beam_group_idx": at.whole(0, groups - 1)})


def positive_decay(seed: int) -> Case:
    """4.26.1 has the decay right where scores are positive."""
    at = Situation(seed)
    case = at.case(
        ["ExponentialDecayLengthPenalty", [at.whole(0, 8), at.share(0.9, 1.5)], at.several(), at.whole(0, 3)]
    )
    # an end twice in the list is raised twice there
    case["changes"][0][2] = sorted(set(case["changes"][0][2]))
    return {
        **case,
        "scores": [[abs(score) if math.isfinite(score) else 1.0 for score in row] for row in case["scores"]],
    }


def broken_scores(seed: int) -> Case:
    """Infinities and numbers that are none."""
    at = Situation(seed)
    case = at.case(["InfNanRemoveLogitsProcessor"])
    for row in case["scores"]:
        for place, value in enumerate((math.nan, math.inf, -math.inf)):
            row[place] = value
    return case


def stopping(seed: int) -> Case:
    """Criteria of which the first length is the smallest, as 4.26.1 takes the first."""
    at = Situation(seed)
    shortest = at.whole(1, 9)
    lengths = [shortest, *(shortest + at.whole(0, 3) for _ in range(at.whole(0, 2)))]
    kinds: list[Change] = [
        ["MaxNewTokensCriteria", 0, length] if at.whole(0, 1) else ["MaxLengthCriteria", length] for length in lengths
    ]
    return {"criteria": [["MaxTimeCriteria", 1000.0], *kinds][: at.whole(1, 4)], "max_length": at.whole(1, 9)}


def recorded_cases() -> dict[str, Case]:
    """Two of each kind, and some of several changes."""
    one = {f"{kind}, {seed}": case_of(kind, seed) for kind in CHANGES for seed in (3, 7)}
    makers = (hamming, positive_decay, broken_scores, chain_of, stopping)
    return one | {f"{make.__name__}, {seed}": make(seed) for make in makers for seed in range(5)}


# What both refuse, with the same kind of error.
IMPOSSIBLE: list[Change] = [
    ["MinLengthLogitsProcessor", -1, 1],
    ["MinLengthLogitsProcessor", 1.5, 1],
    ["MinLengthLogitsProcessor", 1, -1],
    ["MinLengthLogitsProcessor", 1, [1, -1]],
    ["MinLengthLogitsProcessor", 1, ["</s>"]],
    ["MinLengthLogitsProcessor", 1, None],
    ["MinNewTokensLengthLogitsProcessor", -1, 1, 1],
    ["MinNewTokensLengthLogitsProcessor", 1, -1, 1],
    ["MinNewTokensLengthLogitsProcessor", 1, 1, -1],
    ["TemperatureLogitsWarper", 0.0],
    ["TemperatureLogitsWarper", -1.0],
    ["TemperatureLogitsWarper", 2],
    ["TemperatureLogitsWarper", math.nan],
    ["RepetitionPenaltyLogitsProcessor", 0.0],
    ["RepetitionPenaltyLogitsProcessor", "1.2"],
    ["EncoderRepetitionPenaltyLogitsProcessor", -1.0, {"tensor": [[1]]}],
    ["EncoderRepetitionPenaltyLogitsProcessor", 1, {"tensor": [[1]]}],
    ["TopPLogitsWarper", -0.1],
    ["TopPLogitsWarper", 1.1],
    ["TopKLogitsWarper", 0],
    ["TopKLogitsWarper", -3],
    ["TopKLogitsWarper", 2.0],
    ["TypicalLogitsWarper", 0.0],
    ["TypicalLogitsWarper", 1.0],
    ["EpsilonLogitsWarper", 0.0],
    ["EpsilonLogitsWarper", 1.0],
    ["EpsilonLogitsWarper", 0.1, -math.inf, 0],
    ["EtaLogitsWarper", 0.0],
    ["EtaLogitsWarper", 1.0],
    ["EtaLogitsWarper", 0.1, -math.inf, 0],
    ["NoRepeatNGramLogitsProcessor", 0],
    ["NoRepeatNGramLogitsProcessor", 2.0],
    ["EncoderNoRepeatNGramLogitsProcessor", 0, {"tensor": [[1]]}],
    ["NoBadWordsLogitsProcessor", [], 1],
    ["NoBadWordsLogitsProcessor", None, 1],
    ["NoBadWordsLogitsProcessor", [1, 2], 1],
    ["NoBadWordsLogitsProcessor", [[]], 1],
    ["NoBadWordsLogitsProcessor", [[-1]], 1],
    ["NoBadWordsLogitsProcessor", [[1.5]], 1],
    ["HammingDiversityLogitsProcessor", 0.0, 4, 2],
    ["HammingDiversityLogitsProcessor", 1, 4, 2],
    ["HammingDiversityLogitsProcessor", 1.0, 1, 2],
    ["HammingDiversityLogitsProcessor", 1.0, 4, 1],
    ["HammingDiversityLogitsProcessor", 1.0, 2, 4],
    ["HammingDiversityLogitsProcessor", 1.0, 5, 2],
    ["HammingDiversityLogitsProcessor", 1.0, 4, 2],  # outside a search by groups
    ["LogitsProcessor"],
    ["LogitsWarper"],
    ["SuppressTokensLogitsProcessor", [99]],
    ["ForcedBOSTokenLogitsProcessor", 99],
    ["MinLengthLogitsProcessor", 9, 99],
]
# What is refused here and not, or not so, in 4.26.1.
REFUSED: list[Change] = [
    ["MinLengthLogitsProcessor", 1, []],
    ["TemperatureLogitsWarper", math.inf],
    ["RepetitionPenaltyLogitsProcessor", math.inf],
    ["TopPLogitsWarper", 0.0],
    ["TopPLogitsWarper", 0.5, -math.inf, 0],
    ["TopKLogitsWarper", 2, -math.inf, 0],
    ["TypicalLogitsWarper", 0.5, -math.inf, 0],
    ["SuppressTokensLogitsProcessor", [-1]],
    ["SuppressTokensAtBeginLogitsProcessor", [-1], 1],
    ["ForcedBOSTokenLogitsProcessor", -1],
    ["ForcedEOSTokenLogitsProcessor", 2, -1],
    ["ForceTokensLogitsProcessor", [[1, -1]]],
    ["ExponentialDecayLengthPenalty", [1, 0.0], 1, 0],
    ["ExponentialDecayLengthPenalty", [-1, 1.5], 1, 0],
    ["ExponentialDecayLengthPenalty", [1, 1.5, 3], 1, 0],
    ["PrefixConstrainedLogitsProcessor", {"allowed": [[1]]}, 0],
]


def asked_with(change: Change) -> Case:
    return {"changes": [change], "input_ids": [[2]], "scores": [[0.5, -1.0, 2.0, 1.0]]}
