"""kummerfeld2015: An Empirical Analysis of Optimization for Max-Margin NLP, its Table 1 and Figure 1 on chains and trees."""
