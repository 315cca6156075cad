-- Every name that organisers have hidden and not shown again, also when its contestant has another one by now, or has left: texts in
-- which it stands are still read without it.
CREATE TABLE hidden_name (
    contestant uuid NOT NULL REFERENCES contestant,
    folded text NOT NULL,
    name text NOT NULL,
    PRIMARY KEY (contestant, folded)
);
INSERT INTO hidden_name SELECT id, folded, name FROM contestant WHERE hidden_at IS NOT NULL;
