"""Whether a pack holds what a page of documentation needs, and how fast a tree is read."""
