-- The page of a league says how many matches wait for an answer or for an organiser: they are found by the players who
-- have not confirmed.
CREATE INDEX match_player_open ON match_player (match) WHERE answer IS NOT TRUE;
