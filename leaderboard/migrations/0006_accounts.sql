-- Tokens of three scopes, sessions of browsers among them; names that were given up; accounts that were deleted.

ALTER TABLE token DROP CONSTRAINT token_scope_check;
ALTER TABLE token ADD CONSTRAINT token_scope_check CHECK (scope IN ('read', 'submit', 'all'));
-- A session is what a browser holds: its owner tells the two apart when they revoke.
ALTER TABLE token ADD COLUMN session boolean NOT NULL DEFAULT false;
UPDATE token SET session = true WHERE label = 'browser';
-- The day it was last shown. Written once a day, so that a request costs no write.
ALTER TABLE token ADD COLUMN used_on date;

-- A deleted account keeps nothing but a neutral name, and what hangs on its id.
ALTER TABLE contestant ADD COLUMN deleted_at timestamptz;
ALTER TABLE contestant ADD CONSTRAINT contestant_deleted_check CHECK (deleted_at IS NULL OR password IS NULL);

-- Names under which something was handed in, after their contestant has taken another or has gone: nobody else may take one before
-- free_at. Only the SHA-256 of the folded name is kept, and of a deleted contestant not whose it was.
CREATE TABLE former_name (
    hash bytea PRIMARY KEY CHECK (octet_length(hash) = 32),
    contestant uuid REFERENCES contestant,
    free_at timestamptz NOT NULL
);
CREATE INDEX former_name_of_contestant ON former_name (contestant);

-- Whether results stay on the board, under a neutral name, when their contestant deletes the account.
ALTER TABLE contest ADD COLUMN keeps_records boolean NOT NULL DEFAULT true;
-- Taken back with the account: it is off the board for good.
ALTER TABLE submission ADD COLUMN withdrawn_at timestamptz;
ALTER TABLE submission ADD CONSTRAINT submission_withdrawn_check CHECK (withdrawn_at IS NULL OR disqualified_at IS NOT NULL);
