-- What the service does to look after itself, and what it counts.

-- A chore is done by whichever worker finds it due first.
CREATE TABLE chore (
    name text PRIMARY KEY,
    due_at timestamptz NOT NULL DEFAULT now(),
    -- When it last ended well; null before the first time.
    done_at timestamptz,
    -- Sentences about what it found wrong the last time.
    findings jsonb NOT NULL DEFAULT '[]',
    facts jsonb NOT NULL DEFAULT '{}'
);
INSERT INTO chore (name) VALUES ('audit'), ('canary'), ('cleanup');

-- Counters of all processes together. After a crash of the database they may begin at 0 again, as Prometheus expects of counters.
CREATE UNLOGGED TABLE tally (
    name text NOT NULL,
    labels text NOT NULL,
    value double precision NOT NULL,
    PRIMARY KEY (name, labels)
);

-- The submissions of the service itself, which show that a submission gets through, are taken away again; nobody else's ever are.
CREATE FUNCTION refuse_but_canary() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_TABLE_NAME = 'event' THEN
        IF EXISTS (SELECT FROM contest WHERE id = OLD.contest AND slug = 'canary') THEN
            RETURN OLD;
        END IF;
    ELSIF EXISTS (
        SELECT FROM submission JOIN contest ON contest.id = submission.contest
        WHERE submission.id = OLD.submission AND slug = 'canary') THEN
        RETURN OLD;
    END IF;
    RAISE EXCEPTION '% is append-only', TG_TABLE_NAME;
END $$;
DROP TRIGGER event_is_append_only ON event;
CREATE TRIGGER event_is_append_only BEFORE UPDATE OR TRUNCATE ON event FOR EACH STATEMENT EXECUTE FUNCTION refuse();
CREATE TRIGGER event_is_kept BEFORE DELETE ON event FOR EACH ROW EXECUTE FUNCTION refuse_but_canary();
DROP TRIGGER verdict_is_final ON verdict;
CREATE TRIGGER verdict_is_final BEFORE TRUNCATE OR UPDATE OF submission, version, accepted, verdict, detail, play, setup, players, decided_at, microseconds
    ON verdict FOR EACH STATEMENT EXECUTE FUNCTION refuse();
CREATE TRIGGER verdict_is_kept BEFORE DELETE ON verdict FOR EACH ROW EXECUTE FUNCTION refuse_but_canary();
