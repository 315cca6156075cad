-- What a page needs to know of a place, by one pass over the fences (0002) instead of three.

DROP FUNCTION board_before(integer, integer, bytea, timestamptz, uuid);
DROP FUNCTION board_total(integer, integer);

-- Of the public board: how many rows come before a place in its order, how many have a smaller key, and how many rows there are.
CREATE FUNCTION board_place(contest integer, setup integer, key bytea, received_at timestamptz, contestant uuid)
RETURNS TABLE (before bigint, smaller bigint, total bigint) LANGUAGE sql STABLE AS $$
    WITH face AS MATERIALIZED (
        SELECT now.live FROM contest_now AS now WHERE now.id = $1
    ), place (nth, key, received_at, contestant) AS (
        VALUES (1, $3, $4, $5), (2, $3, '-infinity', '00000000-0000-0000-0000-000000000000'::uuid)
    ), sums AS MATERIALIZED (
        SELECT coalesce(sum(rows), 0) AS total,
               sum(rows) FILTER (WHERE (fence.key, fence.received_at, fence.contestant) <= ($3, $4, $5)) AS one,
               sum(rows) FILTER (WHERE (fence.key, fence.received_at, fence.contestant)
                                    <= ($3, '-infinity', '00000000-0000-0000-0000-000000000000')) AS two
        FROM fence WHERE fence.contest = $1 AND fence.setup = $2 AND fence.live = (SELECT live FROM face)
    ), beyond AS MATERIALIZED (
        -- The rows of the place's own fence that come before it, less all of that fence's.
        SELECT nth, (SELECT count(*) FROM best
                     WHERE best.contest = $1 AND best.setup = $2 AND best.live = (SELECT live FROM face)
                       AND (best.key, best.received_at, best.contestant) >= (own.key, own.received_at, own.contestant)
                       AND (best.key, best.received_at, best.contestant) < (place.key, place.received_at, place.contestant)
                    ) - own.rows AS n
        FROM place CROSS JOIN LATERAL (
            SELECT * FROM fence
            WHERE fence.contest = $1 AND fence.setup = $2 AND fence.live = (SELECT live FROM face)
              AND (fence.key, fence.received_at, fence.contestant) <= (place.key, place.received_at, place.contestant)
            ORDER BY fence.key DESC, fence.received_at DESC, fence.contestant DESC LIMIT 1
        ) AS own
    )
    SELECT coalesce(one + (SELECT n FROM beyond WHERE nth = 1), 0), coalesce(two + (SELECT n FROM beyond WHERE nth = 2), 0), total
    FROM sums
$$;
