"""Findings in whole repositories, compared with judged ones."""
