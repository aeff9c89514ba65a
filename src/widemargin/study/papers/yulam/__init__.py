"""yu-lam2008: Accelerated Training of Maximum Margin Markov Models for Sequence Labeling, its Tables 2 and 3 and Figures 2 and 3."""
