"""Benchmark of fixes on real code: the share of recorded graph breaks that ``check --fix --verify`` removes."""
