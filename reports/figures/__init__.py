"""Figures: one function each that draws a plain DataFrame with matplotlib, into axes of yours or new ones."""
