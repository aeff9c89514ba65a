"""Eidelman, Marton and Resnik (2013), Online relative margin maximization for statistical machine translation: tuners on lists."""
