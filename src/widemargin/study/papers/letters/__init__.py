"""Handwritten words by Taskar et al. (2003), Max-Margin Markov Networks: train on one fold of ten, test on the other nine."""
