"""Constraints by the name that their file has in transformers 4.26.1; here they stand in files by idea.

What differs from there, and why, stands at the head of each file:

- `constraints`: the test of one's own classes leaves them as they were, and goes through several tokens.
- `phrasal_constraint`: after `reset` nothing is there, not even the first token.
- `disjunctive_constraint`: copies do not share what was written.
- `constraint_list_state`: `reset` begins anew, also if all was complete; `copy` knows whether it is.

Refused where 4.26.1 accepts it or fails later: empty lists, a truth value as an id, something that is no Constraint.
"""

from tokenlab.transformers.generation.constraint_list_state import ConstraintListState
from tokenlab.transformers.generation.constraints import Constraint
from tokenlab.transformers.generation.disjunctive_constraint import DisjunctiveConstraint, DisjunctiveTrie
from tokenlab.transformers.generation.phrasal_constraint import PhrasalConstraint

__all__ = ["Constraint", "ConstraintListState", "DisjunctiveConstraint", "DisjunctiveTrie", "PhrasalConstraint"]
