"""The wrong programs that learners write, one function each, with the rule that each breaks."""
