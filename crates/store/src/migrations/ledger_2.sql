CREATE TABLE packs (
    pack_id         TEXT PRIMARY KEY,
    created_at      INTEGER NOT NULL,
    intent          TEXT NOT NULL,
    task            TEXT NOT NULL,
    index_signature TEXT NOT NULL,
    request         TEXT NOT NULL,                   -- JSON, normalised
    items           INTEGER NOT NULL,
    tokens          INTEGER NOT NULL,
    body            BLOB NOT NULL                    -- compressed canonical JSON
);
CREATE INDEX idx_packs_created ON packs (created_at DESC);

CREATE TABLE sessions (
    session_id   TEXT PRIMARY KEY,
    started_at   INTEGER NOT NULL,
    last_seen_at INTEGER NOT NULL,
    step         INTEGER NOT NULL,                   -- counted requests: what decay is measured in
    state        BLOB NOT NULL
);

CREATE TABLE feedback (
    feedback_id INTEGER PRIMARY KEY,
    ts          INTEGER NOT NULL,
    session_id  TEXT,
    pack_id     TEXT,
    target      TEXT NOT NULL,                       -- symbolId, chunkUid or path
    value       REAL NOT NULL,                       -- 1 useful, -1 not
    note        TEXT
);
CREATE INDEX idx_feedback_target ON feedback (target);
