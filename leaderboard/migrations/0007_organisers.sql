-- What organisers do: hide names, tell contestants something, and leave an account of it, part of which is public.

ALTER TABLE contestant ADD COLUMN hidden_at timestamptz;
-- What the public reads. No name has a #, so nobody can be called like a hidden one.
ALTER TABLE contestant ADD COLUMN shown text NOT NULL
    GENERATED ALWAYS AS (CASE WHEN hidden_at IS NULL THEN name ELSE '#' || left(id::text, 8) END) STORED;
CREATE INDEX contestant_hidden ON contestant (shown) WHERE hidden_at IS NOT NULL;

-- Language code to Markdown; none has to be there.
ALTER TABLE contest ADD COLUMN descriptions jsonb NOT NULL DEFAULT '{}';

-- Null: it concerns no single contest.
ALTER TABLE audit ADD COLUMN contest integer REFERENCES contest;
-- Contestants, by id, as names may change; without a reference, as an account may go and what was done stays done.
ALTER TABLE audit ADD COLUMN actor_id uuid;
ALTER TABLE audit ADD COLUMN whom uuid;
-- When the public may read of it: never, when records are published, or at once.
ALTER TABLE audit ADD COLUMN shown text NOT NULL DEFAULT 'never' CHECK (shown IN ('never', 'published', 'now'));
-- What was changed: a field's name to [before, after].
ALTER TABLE audit ADD COLUMN detail jsonb NOT NULL DEFAULT '{}';
CREATE INDEX audit_contest ON audit (contest, id);
CREATE INDEX audit_object ON audit (object, id);

-- Notices on a contest's page. An edited one is a new version; one that is taken back ends with a version without texts.
CREATE TABLE notice (
    contest integer NOT NULL REFERENCES contest,
    number integer NOT NULL CHECK (number > 0),
    version integer NOT NULL CHECK (version > 0),
    -- Language code to Markdown.
    texts jsonb,
    at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (contest, number, version)
);
CREATE TRIGGER notice_is_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON notice FOR EACH STATEMENT EXECUTE FUNCTION refuse();

-- The submissions of a contest in their order, and those that play alike.
CREATE INDEX submission_contest ON submission (contest, received_at, id);
CREATE INDEX verdict_play ON verdict (play) WHERE applied AND accepted;
