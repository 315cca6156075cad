"""What the contest remembers and how it ranks."""
