"""How weights meet features."""
