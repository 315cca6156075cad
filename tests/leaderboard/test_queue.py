"""The row as the queue: every row ends with exactly one verdict, whoever dies on the way."""
