"""The names of transformers' `generation/beam_constraints.py`; each constraint has its own file.

The header of each file explains the differences from transformers 4.26.1:

- `constraint`: the test of user-defined classes resets them, and supports several tokens.
- `phrasal_constraint`: `reset` discards all progress, including the first token.
- `disjunctive_constraint`: copies do not share matched tokens.
- `constraint_list_state`: `reset` also clears `completed`, and `copy` copies it.

Refused here, while 4.26.1 accepts it or fails later: empty lists, a bool as an id, an element that is no Constraint.
"""

from tokenlab.libraries.transformers.generation.constraints.constraint import Constraint
from tokenlab.libraries.transformers.generation.constraints.constraint_list_state import ConstraintListState
from tokenlab.libraries.transformers.generation.constraints.disjunctive_constraint import (
    DisjunctiveConstraint,
    DisjunctiveTrie,
)
from tokenlab.libraries.transformers.generation.constraints.phrasal_constraint import PhrasalConstraint

__all__ = ["Constraint", "ConstraintListState", "DisjunctiveConstraint", "DisjunctiveTrie", "PhrasalConstraint"]
