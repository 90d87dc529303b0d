-- Keys and ages lie apart from the blobs, so that marking an entry as used rewrites a small page.
CREATE TABLE entries (
    key        BLOB PRIMARY KEY,      -- 16 bytes: hash of content hash and extractor
    blob_id    INTEGER NOT NULL,
    generation INTEGER NOT NULL,      -- index run in which the entry was last used
    size       INTEGER NOT NULL       -- bytes of the blob
) WITHOUT ROWID;

CREATE TABLE blobs (
    blob_id INTEGER PRIMARY KEY,
    data    BLOB NOT NULL
);

CREATE TABLE meta (
    key   TEXT PRIMARY KEY,
    value INTEGER NOT NULL
) WITHOUT ROWID;

INSERT INTO meta VALUES ('generation', 1);
