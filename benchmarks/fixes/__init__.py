"""What fixes come to on real code: how many of the places that broke are gone after ``check --fix --verify``."""
