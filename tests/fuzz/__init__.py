"""Input that nobody meant: cases by target, run under a watchdog. `make fuzz N=1000000`; see tests/README.md."""
