"""For researchers: engines side by side, statistics, tables and plots."""
