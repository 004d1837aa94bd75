"""Prices inside the solve: a limit on what all calls cost, and the most value per cost (issue 6).

The cost of a pack is linear in its tokens once it is known whether its stable prefix is cached. So there are
two plain programs, one for each case (:mod:`.cases`), and the better answer is the answer. The most value per
cost is found by solving either for value less so much per cost, until no pack is worth more
(:mod:`.ratio`).
"""
