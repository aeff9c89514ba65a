"""Learning, blind to families: terms, rules, sweeps, gradients, dual steps."""
