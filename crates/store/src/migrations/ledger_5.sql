-- How sure the ranking was of what was judged, so that surprises count and not what was expected anyway.
ALTER TABLE feedback ADD COLUMN chance REAL;                              -- 0 to 1; NULL when no ranking showed it
