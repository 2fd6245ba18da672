"""Wrong programs that learners write, one function each, with the misconception and the rule that each breaks."""
