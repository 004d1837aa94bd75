"""What was found out about a repository, kept between runs in one SQLite file, and workers that add to it.

Nothing here decides anything: a run with a cache, without one, or with an empty one gives the same bytes.
"""
