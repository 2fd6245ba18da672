"""What all components share: settings, checks of arguments, saved fields, types in tokenizer.json, Sequence, copies."""
