//! `schema`: the JSON schema of a wire type.

use crate::answer::{Answer, Hits, Impact, SymbolAnswer, TestScope, WhyAnswer};
use crate::context::Context;
use crate::error::OpError;
use crate::inputs::SchemaInput;
use crate::table::OPERATIONS;
use contextd_pack::artifact::{PackManifest, PackShards};
use contextd_pack::codegraph::{CodeGraph, CodeGraphError};
use contextd_pack::{ContextPack, LayerLine, PackDiff, PackRequest, SeedRecord};
use schemars::{JsonSchema, schema_for};
use serde_json::Value;

/// A name and how its schema is made.
type Named = (&'static str, fn() -> Value);

/// Schemas of answers, by name; inputs of operations are found by the operation's name.
pub const SCHEMAS: &[Named] = &[
    ("ContextPack", of::<ContextPack>),
    ("PackRequest", of::<PackRequest>),
    ("Hits", of::<Hits>),
    ("Symbol", of::<SymbolAnswer>),
    ("Why", of::<WhyAnswer>),
    ("Impact", of::<Impact>),
    ("PackDiff", of::<PackDiff>),
    ("Bundle", of::<crate::oracle::Bundle>),
    ("SyncReport", of::<crate::oracle::SyncReport>),
    ("LintReport", of::<crate::oracle::LintReport>),
    ("Picture", of::<crate::oracle::Picture>),
    ("Brief", of::<crate::oracle::Brief>),
    ("TestScope", of::<TestScope>),
    ("CodeGraph", of::<CodeGraph>),
    ("CodeGraphError", of::<CodeGraphError>),
    ("PackShards", of::<PackShards>),
    ("PackManifest", of::<PackManifest>),
    ("SeedRecord", of::<SeedRecord>),
    ("LayerLine", of::<LayerLine>),
];

/// Returns the schema of a type.
pub fn of<T: JsonSchema>() -> Value {
    schema_for!(T).to_value()
}

pub fn schema(_context: &Context, input: SchemaInput) -> Result<Answer, OpError> {
    let named = SCHEMAS.iter().find(|(name, _)| name.eq_ignore_ascii_case(&input.name)).map(|(_, make)| make());
    let found = named.or_else(|| crate::find(&input.name).map(|operation| (operation.schema)()));
    found.map(|schema| Answer::Facts(schema, true)).ok_or_else(|| {
        let known: Vec<&str> = SCHEMAS.iter().map(|(name, _)| *name).chain(OPERATIONS.iter().map(|operation| operation.name)).collect();
        OpError::not_found(format!("there is no schema `{}`", input.name), format!("Known: {}.", known.join(", ")))
    })
}
