-- Matches of games: what a contest asks of them, who played, what each player says of it, and what an organiser has decided.

-- A contest of a game has a row here, any other has none.
CREATE TABLE league (
    contest integer PRIMARY KEY REFERENCES contest,
    -- How many matches between the same players count. Null: all of them.
    per_pair integer CHECK (per_pair > 0),
    -- So long the players have to answer; then the match waits for an organiser.
    answer_days integer NOT NULL CHECK (answer_days BETWEEN 1 AND 365),
    -- Only entrants may play. Otherwise everybody may.
    invited boolean NOT NULL
);

CREATE TABLE entrant (
    contest integer NOT NULL REFERENCES league,
    contestant uuid NOT NULL REFERENCES contestant,
    PRIMARY KEY (contest, contestant)
);

-- What became of each accepted record of a league.
CREATE TABLE match (
    submission uuid PRIMARY KEY REFERENCES submission,
    contest integer NOT NULL REFERENCES league,
    -- Why the record is no match of this contest, and whose name is the reason.
    fault text CHECK (fault IN ('no-players', 'unknown-player', 'player-twice', 'not-playing', 'not-invited', 'duplicate')),
    fault_name text,
    -- The submission by which the same match was handed in before.
    same_as uuid REFERENCES match,
    -- SHA-256 of the players in seat order, the setup and the moves.
    identity bytea CHECK (octet_length(identity) = 32),
    -- The players, sorted: whoever else has the same is of the same pair.
    party uuid[],
    -- The answers are due from then on.
    asked_at timestamptz NOT NULL DEFAULT now(),
    -- An organiser's decision, whatever the players say.
    ruling text CHECK (ruling IN ('upheld', 'void')),
    ruled_at timestamptz,
    -- The same match counts once, however often it is handed in.
    UNIQUE (contest, identity),
    CHECK ((fault IS NULL) = (identity IS NOT NULL) AND (fault IS NULL) = (party IS NOT NULL)),
    CHECK ((fault IS NOT DISTINCT FROM 'duplicate') = (same_as IS NOT NULL)),
    CHECK (ruling IS NULL OR fault IS NULL)
);
CREATE INDEX match_party ON match (contest, party);

CREATE TABLE match_player (
    match uuid NOT NULL REFERENCES match,
    seat smallint NOT NULL CHECK (seat > 0),
    contestant uuid NOT NULL REFERENCES contestant,
    -- What the match is worth to this player, in 1/5040: a whole number for any result of up to 10 players.
    share smallint NOT NULL CHECK (share BETWEEN 0 AND 5040),
    -- Was it so? Null: no answer yet. Who hands a match in has said yes.
    answer boolean,
    answered_at timestamptz,
    PRIMARY KEY (match, seat),
    -- Nobody plays against themselves.
    UNIQUE (match, contestant)
);
CREATE INDEX match_player_contestant ON match_player (contestant);

-- How each match stands, from the answers, the ruling and the clock.
CREATE VIEW match_state AS
SELECT match.*, received_at, per_pair,
       asked_at + answer_days * interval '1 day' AS answer_by,
       CASE WHEN fault IS NOT NULL THEN 'faulty'
            WHEN ruling IS NOT NULL THEN ruling
            WHEN disputed THEN 'disputed'
            WHEN confirmed THEN 'confirmed'
            WHEN now() >= asked_at + answer_days * interval '1 day' THEN 'unanswered'
            ELSE 'waiting' END AS state,
       coalesce(ruling = 'upheld', confirmed, false)
           AND received_at < closes_at AND disqualified_at IS NULL AS valid,
       received_at >= closes_at AS late,
       received_at < freezes_at AS early
FROM match JOIN league ON league.contest = match.contest
           JOIN contest ON contest.id = match.contest
           JOIN submission ON submission.id = match.submission
           LEFT JOIN LATERAL (
               SELECT bool_or(NOT answer) AS disputed, bool_and(coalesce(answer, false)) AS confirmed
               FROM match_player WHERE match_player.match = match.submission) AS said ON true;

-- A match counts if it is valid and, of the valid ones of the same players, among the first that the contest takes.
CREATE VIEW match_now AS
SELECT mine.*, valid AND (per_pair IS NULL OR per_pair > (
           SELECT count(*) FROM match_state AS other
           WHERE other.contest = mine.contest AND other.party = mine.party AND other.valid
             AND (other.received_at, other.submission) < (mine.received_at, mine.submission))) AS counts
FROM match_state AS mine;
