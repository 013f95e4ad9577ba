"""The page: everything a sweep found in one HTML file that needs no network, with figures and tables beside it."""
