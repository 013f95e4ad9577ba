"""The worst cases of an assignor, whatever its groups are: tiny ones tried out completely, a search, and families that grow."""
