"""How functions are compiled and kept: jit.py has the decorators, lanes.py rows of labels as one value; the rest works behind them."""
