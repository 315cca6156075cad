-- A claim changes nothing that an index holds: it writes the row anew beside the old one, and no index entry.

-- What the indexes of the queue ask in place of `state`, which each claim changes.
ALTER TABLE submission ADD COLUMN waiting boolean GENERATED ALWAYS AS (state IN ('queued', 'verifying')) STORED;
DROP INDEX submission_queue, submission_waiting, submission_undecided;
-- The only one for those who ask `waiting`, so that claims read it in its order. The others are for those who ask the same in other words.
CREATE INDEX submission_queue ON submission (turn) WHERE waiting;
CREATE INDEX submission_waiting ON submission (contestant, turn) WHERE waiting IS TRUE;
CREATE INDEX submission_undecided ON submission (contest, received_at) WHERE waiting IS TRUE;
-- A row whose lease has run out is due again, at its place in the queue.
DROP INDEX submission_lease;
-- Room for what claims write; it is free again with the next ones.
ALTER TABLE submission SET (fillfactor = 50);

-- Most events are not public, and have no public number.
ALTER TABLE event DROP CONSTRAINT event_contest_public_key;
CREATE UNIQUE INDEX event_public ON event (contest, public) WHERE public IS NOT NULL;
