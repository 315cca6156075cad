"""Getting it to run: the command, and the files that machines need."""
