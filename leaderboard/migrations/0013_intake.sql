-- What an upload asks of earlier ones costs the same however many there are.

-- A contestant's last place in the queue. The condition says the same as that of submission_queue in other words: an upload asks in
-- these, so that its plan, which is kept, can't be made with the index of everybody's places instead.
DROP INDEX submission_waiting;
CREATE INDEX submission_waiting ON submission (contestant, turn) WHERE state NOT IN ('decided', 'failed');

-- Of two indexes that seem to cost the same, as any two do while the table is small, the planner takes the newer one; to look for the
-- same bytes it must be this one.
ALTER TABLE submission DROP CONSTRAINT submission_contest_contestant_sha256_key;
ALTER TABLE submission ADD UNIQUE (contest, contestant, sha256);
