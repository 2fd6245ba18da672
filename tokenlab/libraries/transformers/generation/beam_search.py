"""The names of transformers' `generation/beam_search.py`: the scorers and the hypotheses that they keep."""

from tokenlab.libraries.transformers.generation.beams.beam_scorer import BeamHypotheses, BeamScorer, BeamSearchScorer
from tokenlab.libraries.transformers.generation.constraints.constrained_beam_scorer import ConstrainedBeamSearchScorer

__all__ = ["BeamHypotheses", "BeamScorer", "BeamSearchScorer", "ConstrainedBeamSearchScorer"]
