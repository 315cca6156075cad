"""The games: one file each. Their rules are told in api/rules/, by the same names; the rulings stand there, too."""
