"""The puzzles: one file each."""
