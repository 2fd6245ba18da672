"""What a library's constraints answer: asked of ours, and of transformers 4.26.1 by its own Python.

A line of JSON on standard input is a case; a line comes back. It imports nothing of tokenlab.
"""

from __future__ import annotations

import contextlib
import json
import sys

import torch


def answer(library, case):
    """What each call gives, and what there is to see afterwards."""
    if case["kind"] == "scorer":
        return of_scorer(library, case)
    if case["kind"] == "list":
        one = library.ConstraintListState([made(library, ids) for ids in case["demands"]])
        return [[call(one, *each), seen_list(one)] for each in case["calls"]]
    one = made(library, case["ids"])
    answers = []
    for each in case["calls"]:
        given = call(one, *each)
        answers.append([given, [one.advance(), one.remaining(), one.completed]])
    return answers


def made(library, ids):
    return library.DisjunctiveConstraint(ids) if isinstance(ids[0], list) else library.PhrasalConstraint(ids)


def call(one, name, argument):
    """What a method gives; of a copy, what there is to see, and what it gives to a token more."""
    if name == "copy":
        other = one.copy(stateful=argument)
        grown = other.add(1) if hasattr(other, "add") else other.update(1)
        return [grown, seen_list(other) if hasattr(other, "add") else [other.advance(), other.remaining()]]
    if name == "reset" and not hasattr(one, "add"):
        return one.reset()
    return getattr(one, name)(argument)


def seen_list(one):
    progress = one.inprogress_constraint
    return {
        "bank": one.get_bank(),
        "advance": one.advance(),
        "completed": one.completed,
        "complete": [each.token_ids for each in one.complete_constraints],
        "in progress": progress and [progress.token_ids, progress.remaining()],
        "pending": [each.token_ids for each in one.pending_constraints],
    }


def of_scorer(library, case):
    demands = [made(library, ids) for ids in case["demands"]]
    scorer = library.ConstrainedBeamSearchScorer(
        batch_size=case["texts"], num_beams=case["beams"], constraints=demands, device=torch.device("cpu")
    )
    scores, tokens, rows = zip(*case["likeliest"], strict=True)
    ids = torch.tensor(case["input_ids"])
    chosen = scorer.step_sentence_constraint(
        case["text"],
        ids,
        torch.tensor(case["scores"]),
        torch.tensor(scores),
        torch.tensor(tokens),
        torch.tensor(rows),
        push_progress=case["push_progress"],
    )
    completes = [bool(scorer.check_completes_constraints(row)) for row in case["input_ids"]]
    return [*(each.tolist() for each in chosen), completes]


def mend(library):
    """Let 4.26.1 do what ours does where it is wrong; each is a line in our files."""
    phrase, either, several = library.PhrasalConstraint, library.DisjunctiveConstraint, library.ConstraintListState
    begun, copied, copied_list = several.init_state, either.copy, several.copy

    def reset(self):
        self.completed, self.fulfilled_idx = False, -1

    def init_state(self):
        begun(self)
        self.completed = False

    def copy(self, stateful=False):
        other = copied(self, stateful)
        other.current_seq = list(other.current_seq)
        return other

    def copy_list(self, stateful=True):
        other = copied_list(self, stateful)
        other.completed = stateful and self.completed
        return other

    phrase.reset, either.copy, several.init_state, several.copy = reset, copy, init_state, copy_list


if __name__ == "__main__":
    import transformers

    if "mended" in sys.argv:
        mend(transformers)
    for line in sys.stdin:
        try:
            with contextlib.redirect_stdout(sys.stderr):
                answered = answer(transformers, json.loads(line))
            print(json.dumps(answered), flush=True)
        except Exception as error:
            print(json.dumps({"refused": f"{type(error).__name__}: {error}"}), flush=True)
