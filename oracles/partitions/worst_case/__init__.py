"""The worst cases of an assignor: tiny groups tried out completely, a search among others, and families that grow."""
