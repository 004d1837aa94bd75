"""Scores of fragments: relevance, freshness, risk, coverage, and the words that they rest on."""
