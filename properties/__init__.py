"""What can be true of assignors: invariants, laws, measures, situations; and groups to try them on, by family."""
