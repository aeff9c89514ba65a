"""bauer2017: Optimizing for Measure of Performance in Max-Margin Parsing, its Table 1 and Figure 2, and the time of exact search."""
