"""What a step of constrained beam search is seen to do: each candidate's bank, its turn, and what it has met so far.

Leaves out: who decides it (`constrained_beam_scorer`). Nothing here loads PyTorch, so that views need not.
"""

from __future__ import annotations

from tokenlab.steps import step
from tokenlab.transformers.generation.beam_steps import ENDS, LIVES, NO_ROOM, REFUSED, TOO_LOW, Chosen, Sifted

UNMET, GIVES_WAY = "ends without what is demanded", "gives way"
SAID = {
    LIVES: "live on",
    GIVES_WAY: "gave way to candidates of other banks",
    ENDS: "became a hypothesis",
    REFUSED: "ended, but the pool is full of better ones",
    TOO_LOW: "ended, but too far down",
    UNMET: "ended without what is demanded",
    NO_ROOM: "found no room",
}


@step
class Standing:
    """How far a beam is with the constraints, which are counted from 0."""

    complete: tuple[int, ...]
    pending: tuple[int, ...]
    in_progress: int | None = None
    done: int = 0  # tokens of the one in progress, as its bank counts them
    longest: int = 1  # tokens of the longest constraint

    @property
    def bank(self) -> int:
        """The number by which candidates are sorted: the longest constraint's length for each complete one, and more.

        >>> Standing(complete=(1,), pending=(), in_progress=0, done=2, longest=3).bank
        5
        """
        return len(self.complete) * self.longest + self.done

    def __str__(self) -> str:
        """Say it in words."""
        parts = [f"{len(self.complete)} complete"]
        if self.in_progress is not None:
            parts.append(f"constraint {self.in_progress} in progress")
        if self.pending:
            parts.append(f"{len(self.pending)} pending")
        return ", ".join(parts)


@step
class Claim:
    """A candidate that does not end, in its bank."""

    parent: int
    token: int
    score: float  # the sum of its tokens' log-probabilities
    demanded: bool  # added because a constraint asks for its token; not among the likeliest that would live on
    standing: Standing
    turn: int  # its place in its bank: the best of each bank come first, then the second ones ...
    lives: bool

    @property
    def bank(self) -> int:
        """The bank of its standing."""
        return self.standing.bank

    def __str__(self) -> str:
        """Say where it is, and what becomes of it."""
        added = ", demanded" if self.demanded else ""
        fate = LIVES if self.lives else GIVES_WAY
        return f"beam {self.parent} + {self.token} (bank {self.bank}, turn {self.turn}{added}) {fate}"


@step
class Banked:
    """The candidates of one text that do not end, the highest bank first."""

    text: int
    length: int  # of the beams, before this step
    claims: tuple[Claim, ...]
    by_turns: bool  # without an added candidate nobody has to give way, and no turns are taken

    def __str__(self) -> str:
        """Say who was added, and how banks were served."""
        added = [f"beam {claim.parent} + {claim.token}" for claim in self.claims if claim.demanded]
        if not self.by_turns:
            return f"text {self.text}: no constraint adds a candidate; the likeliest live on"
        banks = dict.fromkeys(claim.bank for claim in self.claims)
        return (
            f"text {self.text}: constraints add {', '.join(added)}; banks {', '.join(map(str, banks))} take turns: "
            + "; ".join(str(claim) for claim in self.claims)
        )


@step
class SiftedByBanks(Sifted):
    """The candidates of one text, and what became of each: those that live on in their order, then the others."""

    def __str__(self) -> str:
        """Name those of each fate."""
        said: dict[str, list[str]] = {}
        for candidate in self.candidates:
            said.setdefault(candidate.fate, []).append(f"beam {candidate.parent} + {candidate.token}")
        return f"text {self.text}: " + "; ".join(f"{', '.join(those)} {SAID[fate]}" for fate, those in said.items())


@step
class ChosenMeeting(Chosen):
    """A text's hypotheses at the end, and which of them hold what is demanded."""

    met: tuple[bool, ...]

    def __str__(self) -> str:
        """Name the winner, and say whether it does."""
        holds = "holds what is demanded" if self.met[0] else "does not hold what is demanded: no beam got there in time"
        # subtle: slots make the class anew, so that super() without arguments finds the old one.
        return f"{Chosen.__str__(self)}; the best {holds}"
