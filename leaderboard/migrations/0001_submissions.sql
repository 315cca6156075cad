-- Contestants, contests, submissions, verdicts, bests and events. What must never be is a constraint here, with its reason above it.

CREATE TABLE contestant (
    id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
    name text NOT NULL,
    -- Two names that a reader takes for one (case, width, composition) must not be two contestants: unique after NFKC and casefold.
    folded text NOT NULL UNIQUE,
    -- An argon2 string. Null: this contestant signs in by token only.
    password text,
    role text NOT NULL DEFAULT 'contestant' CHECK (role IN ('contestant', 'organiser')),
    created_at timestamptz NOT NULL DEFAULT now()
);

CREATE TABLE token (
    id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
    contestant uuid NOT NULL REFERENCES contestant,
    -- Only the SHA-256 is kept: whoever reads this table can't sign in with it.
    hash bytea NOT NULL UNIQUE CHECK (octet_length(hash) = 32),
    scope text NOT NULL DEFAULT 'all' CHECK (scope IN ('all', 'read')),
    label text NOT NULL DEFAULT '',
    created_at timestamptz NOT NULL DEFAULT now(),
    expires_at timestamptz,
    revoked_at timestamptz
);
CREATE INDEX token_of_contestant ON token (contestant);

CREATE TABLE contest (
    id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    slug text NOT NULL UNIQUE CHECK (slug ~ '^[a-z0-9]+(-[a-z0-9]+)*$' AND length(slug) <= 60),
    -- Language code to title; English is the one that is always there.
    titles jsonb NOT NULL CHECK (titles ? 'en'),
    puzzle text NOT NULL,
    opens_at timestamptz NOT NULL,
    -- Null: the board is never frozen.
    freezes_at timestamptz,
    closes_at timestamptz NOT NULL,
    publishes_at timestamptz NOT NULL,
    -- Uploads of one contestant in a UTC day. Null: as many as they like.
    quota integer CHECK (quota > 0),
    created_at timestamptz NOT NULL DEFAULT now(),
    -- Records are sealed until the end: nothing may be published while timely uploads still come in.
    CHECK (opens_at < closes_at AND closes_at <= publishes_at),
    CHECK (freezes_at > opens_at AND freezes_at < closes_at)
);

-- The phase, from the database clock and nowhere else. `live` says which bests the public board shows.
CREATE VIEW contest_now AS
SELECT contest.*,
       now() AS now,
       CASE WHEN now() < opens_at THEN 'upcoming'
            WHEN now() < coalesce(freezes_at, closes_at) THEN 'open'
            WHEN now() < closes_at THEN 'frozen'
            WHEN now() < publishes_at THEN 'closed'
            ELSE 'published' END AS phase,
       freezes_at IS NULL OR now() < freezes_at OR now() >= publishes_at AS live
FROM contest;

-- The starting positions of a contest, numbered from 1. A puzzle that always starts the same way has none.
CREATE TABLE contest_setup (
    contest integer NOT NULL REFERENCES contest,
    number smallint NOT NULL CHECK (number > 0),
    -- As a record would write it: 'deal: 7', or 'layout:' with its lines.
    header text NOT NULL,
    -- Written out whole; equal texts are equal starting positions.
    layout text NOT NULL,
    name text NOT NULL DEFAULT '',
    PRIMARY KEY (contest, number),
    -- The same starting position under two numbers would let one record count twice.
    UNIQUE (contest, layout)
);

-- One row per contestant and UTC day. An upload takes one by a single UPDATE and locks nothing else.
CREATE TABLE quota (
    contest integer NOT NULL REFERENCES contest,
    contestant uuid NOT NULL REFERENCES contestant,
    day date NOT NULL,
    -- Given back at most as often as taken.
    used integer NOT NULL CHECK (used >= 0),
    PRIMARY KEY (contest, contestant, day)
);

CREATE TABLE submission (
    id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
    contest integer NOT NULL REFERENCES contest,
    contestant uuid NOT NULL REFERENCES contestant,
    -- The database clock decides who was in time.
    received_at timestamptz NOT NULL DEFAULT now(),
    record bytea NOT NULL,
    size integer NOT NULL,
    sha256 bytea NOT NULL,
    -- The day whose quota this upload took, to be given back if verification fails. Null: it took none.
    quota_day date,
    state text NOT NULL DEFAULT 'queued' CHECK (state IN ('queued', 'verifying', 'decided', 'failed')),
    -- The fair order: received_at plus a second for each row of the same contestant that was waiting.
    turn timestamptz NOT NULL,
    -- While queued: not to be claimed before. While verifying: the end of the lease.
    due_at timestamptz NOT NULL DEFAULT now(),
    -- Goes up with each claim. Only the attempt that holds this number may finish the row.
    attempt integer NOT NULL DEFAULT 0,
    -- The present attempt has no neighbour in its batch: if it dies, this row is why.
    alone boolean NOT NULL DEFAULT false,
    -- An attempt has died with this row in its batch: it is claimed alone from now on.
    suspect boolean NOT NULL DEFAULT false,
    -- Attempts that died while the row was alone. At three it is `failed`.
    strikes smallint NOT NULL DEFAULT 0,
    -- The number of the contest's setup that the record plays; null until decided, and where it plays none.
    setup smallint,
    disqualified_at timestamptz,
    -- What was received is what is kept.
    CHECK (size = octet_length(record) AND octet_length(sha256) = 32),
    -- The same bytes again are the same submission: they cost nothing and change nothing.
    UNIQUE (contest, contestant, sha256)
);
-- Records are judged as bytes and read whole: compressing them costs more than it saves.
ALTER TABLE submission ALTER COLUMN record SET STORAGE EXTERNAL;
CREATE INDEX submission_queue ON submission (turn) WHERE state IN ('queued', 'verifying');
CREATE INDEX submission_lease ON submission (due_at) WHERE state = 'verifying';
CREATE INDEX submission_waiting ON submission (contestant) WHERE state IN ('queued', 'verifying');
CREATE INDEX submission_undecided ON submission (contest, received_at) WHERE state IN ('queued', 'verifying');
CREATE INDEX submission_list ON submission (contestant, received_at, id);

-- Idempotency keys, as SHA-256 of what the client sent, and the submission each one led to.
CREATE TABLE upload_key (
    contest integer NOT NULL REFERENCES contest,
    contestant uuid NOT NULL REFERENCES contestant,
    hash bytea NOT NULL CHECK (octet_length(hash) = 32),
    submission uuid NOT NULL REFERENCES submission,
    created_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (contest, contestant, hash)
);

CREATE TABLE verdict (
    submission uuid NOT NULL REFERENCES submission,
    version text NOT NULL,
    accepted boolean NOT NULL,
    -- json, not jsonb: a message may quote any character of a record, also U+0000, which jsonb refuses.
    verdict json NOT NULL,
    -- The message's template and values, for other languages. Null for an accepted record.
    detail json,
    -- SHA-256 of the canonical play, for duplicates. Null where the record was not read so far.
    play bytea CHECK (octet_length(play) = 32),
    -- It ranks: this is the verdict that everybody sees.
    applied boolean NOT NULL,
    decided_at timestamptz NOT NULL DEFAULT now(),
    microseconds integer NOT NULL CHECK (microseconds >= 0),
    -- A verifier version judges a submission once.
    PRIMARY KEY (submission, version)
);
CREATE UNIQUE INDEX verdict_applied ON verdict (submission) WHERE applied;

-- A contestant's best per setup; setup 0 is the overall standing of the contest. Live rows count all that came before closes_at, the
-- others (kept only where a contest freezes) what came before freezes_at. Only the function `board` chooses between them.
CREATE TABLE best (
    contest integer NOT NULL REFERENCES contest,
    setup smallint NOT NULL CHECK (setup >= 0),
    live boolean NOT NULL,
    contestant uuid NOT NULL REFERENCES contestant,
    -- Smaller is better, compared as bytes; equal keys share a rank (leaderboard/ranking.py).
    key bytea NOT NULL,
    received_at timestamptz NOT NULL,
    submission uuid NOT NULL REFERENCES submission,
    score json NOT NULL,
    PRIMARY KEY (contest, contestant, setup, live)
);
-- The order of the board: key, then who was earlier, then anything that is the same on every page.
CREATE UNIQUE INDEX best_order ON best (contest, setup, live, key, received_at, contestant);
-- Is a submission on the board?
CREATE INDEX best_submission ON best (submission);

-- What the public sees of a contest now. Every reader of the standings goes through here.
CREATE FUNCTION board(contest integer, setup integer) RETURNS SETOF best LANGUAGE sql STABLE AS $$
    SELECT best.* FROM best
    WHERE best.contest = $1 AND best.setup = $2 AND best.live = (SELECT now.live FROM contest_now AS now WHERE now.id = $1)
$$;

-- The last event numbers of each contest. Whoever changes a contest's bests or adds an event locks its row first; several contests in the
-- order of their ids, so that two such transactions never wait for each other. An upload takes no lock here.
CREATE TABLE counter (
    contest integer PRIMARY KEY REFERENCES contest,
    events bigint NOT NULL DEFAULT 0,
    public_events bigint NOT NULL DEFAULT 0,
    -- The phase that was last told to the public.
    phase text NOT NULL DEFAULT 'upcoming'
);

CREATE TABLE event (
    contest integer NOT NULL REFERENCES contest,
    -- Both without gaps, from 1. `number` counts all events; `public` only those that the public may see, null for the others.
    number bigint NOT NULL CHECK (number > 0),
    public bigint CHECK (public > 0),
    kind text NOT NULL,
    payload jsonb NOT NULL,
    at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (contest, number),
    UNIQUE (contest, public)
);

CREATE TABLE audit (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    at timestamptz NOT NULL DEFAULT now(),
    -- A contestant's name, or the part of the service that acted by itself.
    actor text NOT NULL,
    action text NOT NULL,
    object text NOT NULL,
    reason text NOT NULL DEFAULT ''
);

-- What has been said stays said.
CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION '% is append-only', TG_TABLE_NAME;
END $$;
CREATE TRIGGER audit_is_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON audit FOR EACH STATEMENT EXECUTE FUNCTION refuse();
CREATE TRIGGER event_is_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON event FOR EACH STATEMENT EXECUTE FUNCTION refuse();
-- A verdict never changes; only whether it is the one that ranks.
CREATE TRIGGER verdict_is_final BEFORE DELETE OR TRUNCATE OR UPDATE OF submission, version, accepted, verdict, detail, play, decided_at, microseconds
    ON verdict FOR EACH STATEMENT EXECUTE FUNCTION refuse();
