-- What a judgement was given for, and the state of the code it was given about.
ALTER TABLE feedback ADD COLUMN verdict TEXT NOT NULL DEFAULT 'useful';   -- useful, not_useful, used, unused
ALTER TABLE feedback ADD COLUMN anchor TEXT NOT NULL DEFAULT '';          -- hash of the package when it was judged
ALTER TABLE feedback ADD COLUMN words TEXT NOT NULL DEFAULT '[]';         -- JSON array: words of the request

ALTER TABLE usage_metrics ADD COLUMN surface TEXT;                        -- cli, mcp, http
ALTER TABLE usage_metrics ADD COLUMN session_id TEXT;
ALTER TABLE usage_metrics ADD COLUMN pack_id TEXT;
ALTER TABLE usage_metrics ADD COLUMN query TEXT;                          -- scrubbed
ALTER TABLE usage_metrics ADD COLUMN baseline_tokens INTEGER;             -- what reading the files would have cost

-- What an answer held, so that a later report can say what of it was used.
CREATE TABLE returned (
    pack_id   TEXT PRIMARY KEY,
    metric_id INTEGER NOT NULL,
    words     TEXT NOT NULL,                          -- JSON array
    items     TEXT NOT NULL                           -- JSON array of [symbolId, name, path, provider, score]
);
CREATE INDEX idx_returned_metric ON returned (metric_id);

CREATE TABLE usage_providers (
    metric_id INTEGER NOT NULL,
    provider  TEXT NOT NULL,
    provided  INTEGER NOT NULL,
    used      INTEGER NOT NULL DEFAULT 0,
    score     REAL NOT NULL,                          -- sum over the items
    PRIMARY KEY (metric_id, provider)
) WITHOUT ROWID;
