-- A search for a part of a name reads the names that hold its groups of three characters, and not every name of a large board. The
-- extension comes with PostgreSQL; it is a trusted one, so the owner of the database may install it.
CREATE EXTENSION IF NOT EXISTS pg_trgm;
CREATE INDEX contestant_search ON contestant USING gin ((CASE WHEN hidden_at IS NULL THEN folded ELSE shown END) gin_trgm_ops);
