-- Ranks at any depth. Along the order of each board stands a fence about every thousand rows, with the number of rows from it to the
-- next one. The rows before a place are those of the fences before it and the few between its own fence and the place: exact, and about
-- as quick for a million rows as for a thousand. Only the transactions that hold the contest's counter row (0001) write here.

CREATE TABLE fence (
    contest integer NOT NULL REFERENCES contest,
    setup smallint NOT NULL,
    live boolean NOT NULL,
    -- The first place that belongs to it; each board begins with the fence at the first place of all.
    key bytea NOT NULL,
    received_at timestamptz NOT NULL,
    contestant uuid NOT NULL,
    rows integer NOT NULL CHECK (rows >= 0),
    PRIMARY KEY (contest, setup, live, key, received_at, contestant)
    -- Room beside each row, as `rows` changes all the time and is in no index.
) WITH (fillfactor = 50);

-- How many rows of the public board come before a place in its order.
CREATE FUNCTION board_before(contest integer, setup integer, key bytea, received_at timestamptz, contestant uuid)
RETURNS bigint LANGUAGE sql STABLE AS $$
    WITH face AS MATERIALIZED (
        SELECT now.live FROM contest_now AS now WHERE now.id = $1
    ), mine AS MATERIALIZED (
        SELECT fence.key, fence.received_at, fence.contestant FROM fence
        WHERE fence.contest = $1 AND fence.setup = $2 AND fence.live = (SELECT live FROM face)
          AND (fence.key, fence.received_at, fence.contestant) <= ($3, $4, $5)
        ORDER BY fence.key DESC, fence.received_at DESC, fence.contestant DESC LIMIT 1
    )
    SELECT (SELECT coalesce(sum(fence.rows), 0) FROM fence
            WHERE fence.contest = $1 AND fence.setup = $2 AND fence.live = (SELECT live FROM face)
              AND (fence.key, fence.received_at, fence.contestant)
                < ((SELECT key FROM mine), (SELECT received_at FROM mine), (SELECT contestant FROM mine)))
         + (SELECT count(*) FROM best
            WHERE best.contest = $1 AND best.setup = $2 AND best.live = (SELECT live FROM face)
              AND (best.key, best.received_at, best.contestant)
                >= ((SELECT key FROM mine), (SELECT received_at FROM mine), (SELECT contestant FROM mine))
              AND (best.key, best.received_at, best.contestant) < ($3, $4, $5))
$$;

-- How many rows the public board has.
CREATE FUNCTION board_total(contest integer, setup integer) RETURNS bigint LANGUAGE sql STABLE AS $$
    SELECT coalesce(sum(fence.rows), 0)::bigint FROM fence
    WHERE fence.contest = $1 AND fence.setup = $2
      AND fence.live = (SELECT now.live FROM contest_now AS now WHERE now.id = $1)
$$;
