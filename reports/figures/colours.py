"""The colours of figures and pages, on light and on dark paper; nothing here needs matplotlib."""

INK, RULE, PAPER = "#1a1a1b", "#c9c9ca", "#fefefe"
"""The colours of text and axes, of grid lines, and of the background. Only the ink is also the colour of a series, so that a page can replace them."""
COLOURS = ("#0148ac", "#ac5113", "#1b7f7c", "#880768", "#5b3700", "#8a32fd", INK)
DARK = ("#3b95f5", "#ffa21f", "#6dd09c", "#fb14ac", "#c5720f", "#c5b0fe", "#e7e8ea")
"""The colours that replace COLOURS on dark paper."""
BETTER, WORSE = "#0a5aa8", "#586273"
DARK_BETTER, DARK_WORSE = "#84bdf6", "#8d98aa"
