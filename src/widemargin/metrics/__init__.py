"""What families share of scoring: rates, bootstrap, signed ranks, calibration."""
