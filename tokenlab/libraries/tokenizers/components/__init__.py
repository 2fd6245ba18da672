"""The parts that all components share: settings, argument checks, saved fields, types in tokenizer.json, copies."""
