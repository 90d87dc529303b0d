-- What packs read, kept on request: files, their symbols and the edges between them, numbered as in the
-- index. The snapshot named in `meta` under `layer` is the one they were taken from.
CREATE TABLE layer (
    number INTEGER PRIMARY KEY,
    record TEXT NOT NULL                              -- JSON, as `contextd schema LayerLine` says
);
CREATE VIEW layer_symbols AS SELECT
    number,
    record ->> '$.name' AS name, record ->> '$.qualifiedName' AS qualified_name, record ->> '$.kind' AS kind,
    record ->> '$.startLine' AS start_line, record ->> '$.endLine' AS end_line, record ->> '$.signature' AS signature
    FROM layer WHERE record ->> '$.record' = 'symbol';
CREATE VIEW layer_edges AS SELECT
    record ->> '$.from' AS source, record ->> '$.to' AS target, record ->> '$.kind' AS kind,
    record ->> '$.confidence' AS confidence, record ->> '$.provenance' AS provenance, record ->> '$.line' AS line
    FROM layer WHERE record ->> '$.record' = 'edge';
