"""What problems may need beyond audiences and copies: forbidden pairs, weights, counts, caps, and copies in roles.

A problem without such needs is solved by :mod:`kassay.oracles.assignment.flow.exact`, which knows nothing of this.
"""
