"""Decides what goes into a pack: compile, greedy, CP-SAT, canonical answer, artifact.

Pure: no files, no clock in a result, no printing. Only :mod:`.backends` touches a solver library.
"""
