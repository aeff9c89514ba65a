"""One of a row's candidates, and with it the correct one that was best at the time."""
