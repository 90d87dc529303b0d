//! Shapes of answers that have no type of their own, as JSON schemas.
//!
//! A shape is a list of fields, `name:type`. A type is `string`, `integer`, `number`, `boolean`, `any`, the
//! name of another shape, `[TYPE]` for a list or `{TYPE}` for an object with keys of its own; `?` behind it
//! says that it may be null, `~` behind the name that the field may be absent. Shapes with `|` between them
//! are alternatives.

use serde_json::{Map, Value, json};

/// Every shape by its name.
pub(crate) const SHAPES: &[(&str, &str)] = &[
    (
        "Status",
        "indexSignature:string files:integer symbols:integer edges:integer chunks:integer languages:{integer} lastIndexed:integer? sizeBytes:integer sourceBytes:integer stale:boolean? checked:boolean partial:boolean",
    ),
    (
        "IndexReport",
        "indexSignature:string files:integer symbols:integer edges:integer chunks:integer languages:{integer} lastIndexed:integer? sizeBytes:integer sourceBytes:integer stale:boolean checked:boolean partial:boolean durationMs:integer",
    ),
    (
        "ContextStats",
        "enabled:boolean mode:string providers:[ProviderState] storage:Storage performance:Performance languages:{integer} errors:integer rebuild:RunningRebuild? recentActivity:[Activity] indexSignature:string symbols:integer edges:integer stale:boolean session:string?",
    ),
    ("ProviderState", "id:string name:string enabled:boolean available:boolean stats:{integer}"),
    (
        "Storage",
        "totalFiles:integer totalChunks:integer totalEmbeddings:integer dbSizeMB:number lastIndexed:integer?",
    ),
    (
        "Performance",
        "queries:integer avgQueryLatencyMs:number? cacheHitRate:number? avgTokensPerQuery:number?",
    ),
    ("RunningRebuild", "jobId:string filesProcessed:integer filesTotal:integer?"),
    ("Activity", "jobId:string type:string status:string startedAt:integer"),
    ("Refreshed", "status:string jobId:string filesQueued:integer message:string"),
    (
        "Rebuilt",
        "status:string jobId:string scope:string estimatedFiles:integer estimatedTime:integer message:string details~:RebuildDetails",
    ),
    (
        "RebuildDetails",
        "byLanguage:{integer} totalBytes:integer totalSizeGB:number currentIndexSize:string",
    ),
    ("Jobs", "JobList | Job"),
    ("JobList", "jobs:[Job]"),
    (
        "Job",
        "jobId:string type:string status:string startedAt:integer completedAt:integer? progress:JobProgress result~:any error~:string logs~:[LogLine]",
    ),
    (
        "JobProgress",
        "filesProcessed:integer filesTotal:integer percentComplete:number currentFile:string? startedAt:integer estimatedCompletion:integer?",
    ),
    ("LogLine", "ts:integer level:string message:string"),
    ("CheckedFiles", "files:[CheckedFile]"),
    ("CheckedFile", "path:string verdict:string rule:string? detail~:string explanation:any"),
    (
        "ProjectStats",
        "root:string files:integer bytes:integer languages:{integer} projects:{integer} excluded:{integer} problems:[string]",
    ),
    ("ConfigCheck", "file:string? valid:boolean problems:[ConfigProblem]"),
    ("ConfigProblem", "code:string path:string? line:integer? message:string remedy:string"),
    ("Health", "healthy:boolean checks:[HealthCheck]"),
    ("HealthCheck", "check:string ok:boolean detail:string? remedy:string?"),
    ("PackList", "packs:[StoredPack]"),
    (
        "StoredPack",
        "packId:string createdAt:integer intent:string task:string items:integer tokens:integer indexSignature:string",
    ),
    ("PackWritten", "written:[string] records:integer artifact:string"),
    (
        "TaskContext",
        "taskId:string query:string snippets:[Snippet] totalTokens:integer providers:{[string]} budget:TaskBudget contextBlock:string prompt:string warnings:[string] packId:string? indexSignature:string? fallback~:string",
    ),
    (
        "Snippet",
        "chunkId:string score:number filePath:string label:string kind:string text:string language:string offsets:Offsets metadata:SnippetMetadata",
    ),
    ("SnippetMetadata", "startLine:integer endLine:integer why:[string] stale:boolean"),
    ("Offsets", "start:integer end:integer"),
    (
        "TaskBudget",
        "maxTokens:integer reserveForPrompt:integer diversityWeight:number warning:boolean",
    ),
    ("Added", "file_id:string chunks:integer embeddings:integer overlay:boolean"),
    ("Deleted", "deleted:boolean"),
    ("Redactions", "enabled:boolean files:integer redactions:[Redaction]"),
    ("Redaction", "file:string line:integer rule:string"),
    ("Feedback", "Judged | Imported | LearnedList | LearnedSymbol | Forgotten"),
    ("Judged", "recorded:integer packId:string? words:[string]"),
    ("Imported", "imported:integer"),
    ("Forgotten", "forgotten:integer sessions:integer"),
    (
        "LearnedList",
        "learnedState:string judgements:integer valid:integer expired:integer symbols:[LearnedCounts] vocabulary:[LearnedWord] sessions:[SessionRow]",
    ),
    (
        "LearnedCounts",
        "symbolId:string symbol:string? useful:integer notUseful:integer used:integer unused:integer counts:integer",
    ),
    ("LearnedWord", "word:string symbol~:string observations:integer"),
    ("SessionRow", "session:string steps:integer lastSeenAt:integer"),
    (
        "LearnedSymbol",
        "symbolId:string symbol:string learnedState:string judgements:[Judgement] vocabulary:[LearnedWord] terms:[LearnedTerm] seen:any",
    ),
    (
        "Judgement",
        "verdict:string counts:boolean words:[string] packId:string? session:string? ts:integer note:string?",
    ),
    ("LearnedTerm", "term:string value:number weight:number adds:number"),
    (
        "UsageReported",
        "recorded:integer used~:integer unused~:integer unknown~:any packId~:string?",
    ),
    (
        "Savings",
        "SavingsGroups | SavingsProviders | SavingsLanguages | SavingsReports | SavingsTrend",
    ),
    ("SavingsGroups", "baseline:string total:SavingsGroup groups:[SavingsGroup]"),
    (
        "SavingsGroup",
        "key:string queries:integer tokens:integer baselineTokens:integer savedTokens:integer savedPercent:number? avgLatencyMs:number? items:integer itemsUsed:integer",
    ),
    ("SavingsProviders", "providers:[SavingsProvider]"),
    (
        "SavingsProvider",
        "provider:string queries:integer provided:integer reported:integer used:integer usedRate:number? avgScore:number? avgLatencyMs:number? cacheHitRate:number?",
    ),
    ("SavingsLanguages", "languages:[SavingsLanguage]"),
    ("SavingsLanguage", "language:string files:integer chunks:integer tokens:integer"),
    (
        "SavingsReports",
        "before:ReportedMeans? after:ReportedMeans? reductionPercent:number? tasks:[SavingsReport]",
    ),
    ("ReportedMeans", "reports:integer avgInput:number? avgOutput:number? avgTotal:number?"),
    ("SavingsReport", "taskId:string before:number after:number reductionPercent:number"),
    ("SavingsTrend", "days:[SavingsDay]"),
    ("SavingsDay", "day:string tasks:integer avgTokens:number"),
    ("Unchanged", "cached:boolean etag:string"),
    (
        "QueryContext",
        "query:string total:integer hits:[QueryHit] totalTokens:integer notFound:[string] plain:string? indexSignature:string",
    ),
    (
        "QueryHit",
        "chunkId:string score:number filePath:string label:string kind:string snippet:string language:string offsets:Offsets lines:Offsets symbolId:string? why:[string]",
    ),
    ("Cleaned", "removedBytes:integer"),
    ("Registration", "written:boolean files:[RegistrationFile]"),
    (
        "RegistrationFile",
        "agent:string file:string state:string why~:string remedy~:string diff~:[string]",
    ),
    ("Agents", "agents:[AgentRow]"),
    ("AgentRow", "id:string name:string found:boolean file:string key:[string]"),
    (
        "ExportedSymbol",
        "symbolId:string qualifiedName:string name:string kind:string language:string file:string startLine:integer endLine:integer visibility:string test:boolean",
    ),
    (
        "ExportedEdge",
        "from:string to:string kind:string confidence:number provenance:string file:string line:integer",
    ),
    (
        "ExportedChunk",
        "file:string label:string kind:string symbolId:string? language:string startLine:integer endLine:integer start:integer end:integer tokens:integer part:integer",
    ),
    (
        "ExportedFile",
        "file:string language:string lines:integer size:integer hash:string package:string",
    ),
    ("EvalResult", "task_id:string results:[EvalHit] latency_ms:number"),
    (
        "EvalHit",
        "symbol:string kind:string file:string start_line:integer end_line:integer score:number",
    ),
    ("Failure", "error:FailureReason"),
    ("FailureReason", "code:string message:string remedy:string"),
    ("Paths", "[string]"),
];

/// Returns the schema of a shape.
pub(crate) fn schema(name: &str) -> Option<Value> {
    SHAPES.iter().find(|(known, _)| *known == name).map(|(_, shape)| of_shape(shape))
}

fn of_shape(shape: &str) -> Value {
    if shape.contains('|') {
        return json!({"anyOf": shape.split('|').map(|part| of_type(part.trim())).collect::<Vec<_>>()});
    }
    if shape.starts_with('[') {
        return of_type(shape);
    }
    let (mut properties, mut required) = (Map::new(), Vec::new());
    for field in shape.split_whitespace() {
        let (name, kind) = field.split_once(':').unwrap_or((field, "any"));
        let plain = name.trim_end_matches('~');
        properties.insert(plain.to_owned(), of_type(kind));
        if plain == name {
            required.push(plain);
        }
    }
    json!({"type": "object", "properties": properties, "required": required})
}

fn of_type(kind: &str) -> Value {
    if let Some(kind) = kind.strip_suffix('?') {
        return json!({"anyOf": [of_type(kind), {"type": "null"}]});
    }
    let inner =
        |open, close| kind.strip_prefix(open).and_then(|rest: &str| rest.strip_suffix(close));
    if let Some(element) = inner('[', ']') {
        return json!({"type": "array", "items": of_type(element)});
    }
    if let Some(value) = inner('{', '}') {
        return json!({"type": "object", "additionalProperties": of_type(value)});
    }
    match kind {
        "any" => json!({}),
        "string" | "integer" | "number" | "boolean" => json!({"type": kind}),
        name => schema(name).unwrap_or_else(|| json!({})),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_in_a_shape_is_a_shape() {
        let plain = ["any", "string", "integer", "number", "boolean"];
        for (name, shape) in SHAPES {
            let types: Vec<&str> = if shape.contains('|') || shape.starts_with('[') {
                shape.split('|').map(str::trim).collect()
            } else {
                shape
                    .split_whitespace()
                    .filter_map(|field| Some(field.split_once(':')?.1))
                    .collect()
            };
            for kind in types {
                let bare = kind.trim_matches(['[', ']', '{', '}', '?']);
                assert!(
                    plain.contains(&bare) || SHAPES.iter().any(|(known, _)| *known == bare),
                    "{name}: `{kind}`"
                );
            }
        }
    }

    #[test]
    fn shapes_become_schemas() {
        let schema = schema("LogLine").unwrap();
        assert_eq!(
            schema,
            json!({"type": "object", "properties": {"ts": {"type": "integer"}, "level": {"type": "string"}, "message": {"type": "string"}}, "required": ["ts", "level", "message"]})
        );
        assert_eq!(
            of_type("{[string]}"),
            json!({"type": "object", "additionalProperties": {"type": "array", "items": {"type": "string"}}})
        );
        assert_eq!(
            of_shape("a~:integer?"),
            json!({"type": "object", "properties": {"a": {"anyOf": [{"type": "integer"}, {"type": "null"}]}}, "required": []})
        );
    }
}
