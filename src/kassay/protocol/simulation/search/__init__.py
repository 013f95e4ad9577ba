"""Looking for trouble: schedules are drawn, run, counted, and those that break something made smaller."""
