"""What families share of scoring: rates, bootstrap, calibration."""
