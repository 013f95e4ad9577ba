"""Certificates, and the code that checks them; it shares nothing with what finds optima."""
