"""One module per command, each with a function ``command``."""
