"""Joint optima of small problems in machine code, thousands a second, with the certificates of the joint core."""
