"""The public Python API: what the command line does, as functions.

::

    import kassay

    report = kassay.check("consumer/range", examples=200)
    assert report.kept
    group = kassay.Group((kassay.Topic("t", 4),), (kassay.Member("a", ("t",)), kassay.Member("b", ("t",))))
    kassay.optimum(group, "balance").levels[0].value
    kassay.assign("consumer/range", group)
"""
