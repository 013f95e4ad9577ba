"""Jars from Maven repositories, the Java that runs them, and the compiler for our own few Java classes."""
