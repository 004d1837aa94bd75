"""What a decision hangs on: the best pack under one change, what tokens are worth, value against budget.

Everything here starts from a problem that is solved (:mod:`.solved`) and solves it again under a change. What
a limit leaves open is told as a range, never as a guess.
"""
