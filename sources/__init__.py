"""Evidence: from a repository and a task to units with scores, forms and provenance.

Import from the modules (:mod:`.scan`, :mod:`.tasks`, :mod:`.tokens`): counting tokens needs none of the scan.
"""
