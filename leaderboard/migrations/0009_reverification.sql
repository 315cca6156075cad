-- Verifying a set of submissions again, and the way of an upload through the logs.

-- What a verdict needs to take effect later: the number of the contest's setup that the record plays, and a match's players.
ALTER TABLE verdict ADD COLUMN setup smallint, ADD COLUMN players json;
UPDATE verdict SET setup = submission.setup FROM submission WHERE submission.id = verdict.submission AND submission.setup IS NOT NULL;
-- The last decisions tell how fast the queue moves.
CREATE INDEX verdict_decided ON verdict (decided_at);

-- The id of the request that brought it, under which the logs speak of it.
ALTER TABLE submission ADD COLUMN request text;

-- A set of submissions that are verified again, all by one version of the verifier.
CREATE TABLE reverification (
    id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
    contest integer NOT NULL REFERENCES contest,
    version text NOT NULL,
    -- How the submissions were chosen.
    filter jsonb NOT NULL,
    created_by text NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    -- Open until its verdicts are applied, all in one act, or it is given up.
    state text NOT NULL DEFAULT 'open' CHECK (state IN ('open', 'applied', 'cancelled')),
    ended_by text,
    ended_at timestamptz,
    reason text NOT NULL DEFAULT '',
    -- Verdicts that were not what they had been, when it was applied.
    changed integer,
    CHECK ((state = 'open') = (ended_at IS NULL) AND (state = 'applied') = (changed IS NOT NULL))
);
-- Two at once could both have chosen a submission, and it would be chance whose verdict stays.
CREATE UNIQUE INDEX reverification_open ON reverification (contest) WHERE state = 'open';

-- Their submissions, each of which is a row of a queue like that of `submission`.
CREATE TABLE reverification_row (
    reverification uuid NOT NULL REFERENCES reverification,
    submission uuid NOT NULL REFERENCES submission,
    -- The version whose verdict ranked when it was chosen.
    base text NOT NULL,
    -- `odd`: this very version said something else before; `dropped`: its set was cancelled first.
    state text NOT NULL DEFAULT 'waiting'
        CHECK (state IN ('waiting', 'verifying', 'decided', 'failed', 'odd', 'dropped')),
    due_at timestamptz NOT NULL DEFAULT now(),
    claimed_at timestamptz,
    attempt integer NOT NULL DEFAULT 0,
    alone boolean NOT NULL DEFAULT false,
    suspect boolean NOT NULL DEFAULT false,
    strikes smallint NOT NULL DEFAULT 0,
    PRIMARY KEY (reverification, submission)
);
CREATE INDEX reverification_queue ON reverification_row (due_at, submission) WHERE state IN ('waiting', 'verifying');

-- A match counts only while its record is accepted.
CREATE OR REPLACE VIEW match_state AS
SELECT match.*, received_at, per_pair,
       asked_at + answer_days * interval '1 day' AS answer_by,
       CASE WHEN fault IS NOT NULL THEN 'faulty'
            WHEN ruling IS NOT NULL THEN ruling
            WHEN disputed THEN 'disputed'
            WHEN confirmed THEN 'confirmed'
            WHEN now() >= asked_at + answer_days * interval '1 day' THEN 'unanswered'
            ELSE 'waiting' END AS state,
       coalesce(ruling = 'upheld', confirmed, false)
           AND received_at < closes_at AND disqualified_at IS NULL
           AND EXISTS (SELECT FROM verdict WHERE verdict.submission = match.submission AND applied AND accepted) AS valid,
       received_at >= closes_at AS late,
       received_at < freezes_at AS early
FROM match JOIN league ON league.contest = match.contest
           JOIN contest ON contest.id = match.contest
           JOIN submission ON submission.id = match.submission
           LEFT JOIN LATERAL (
               SELECT bool_or(NOT answer) AS disputed, bool_and(coalesce(answer, false)) AS confirmed
               FROM match_player WHERE match_player.match = match.submission) AS said ON true;
