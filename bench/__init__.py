"""Benchmarks: realistic instances, all engines in one run, and the published table."""
