"""Settings and calls around a compiled region that have no effect, or not the intended one (GBL9xx)."""
