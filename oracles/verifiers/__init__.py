"""What the stand-alone verifiers load when they need it; each file needs Python alone."""
