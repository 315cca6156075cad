"""Work that must not keep a request waiting."""
