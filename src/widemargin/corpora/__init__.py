"""The embedded corpus, and a catalogue of public ones."""
