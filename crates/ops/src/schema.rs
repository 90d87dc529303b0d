//! `schema`: the JSON schema of a wire type.

use crate::answer::{Answer, Hits, Impact, SymbolAnswer, TestScope, WhyAnswer};
use crate::context::Context;
use crate::error::OpError;
use crate::inputs::SchemaInput;
use crate::outputs::any_answer;
use crate::shapes::{self, SHAPES};
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
    ("Excerpts", of::<crate::excerpts::Excerpts>),
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
    ("RefTree", of::<crate::oracle::RefTree>),
];

/// Returns the schema of a type.
pub fn of<T: JsonSchema>() -> Value {
    schema_for!(T).to_value()
}

/// Returns the schema of a wire type by its exact name: a type's own, else a shape's.
pub fn schema_named(name: &str) -> Option<Value> {
    SCHEMAS
        .iter()
        .find(|(known, _)| *known == name)
        .map(|(_, make)| make())
        .or_else(|| shapes::schema(name))
}

/// Returns the names of all wire types, in order.
pub fn schema_names() -> impl Iterator<Item = &'static str> {
    SCHEMAS.iter().map(|(name, _)| *name).chain(SHAPES.iter().map(|(name, _)| *name))
}

/// Answers with a schema: of a wire type, of an operation's input (`NAME.input`, or `NAME` where no type is
/// called so), of its answers (`NAME.answer`).
pub fn schema(_context: &Context, input: SchemaInput) -> Result<Answer, OpError> {
    let name = input.name.trim();
    let of_input = |name: &str| crate::find(name).map(|operation| (operation.schema)());
    let found = match name.rsplit_once('.') {
        Some((operation, "input")) => of_input(operation),
        Some((operation, "answer")) => {
            crate::find(operation).and_then(|operation| any_answer(operation.name))
        }
        _ => schema_names()
            .find(|known| known.eq_ignore_ascii_case(name))
            .and_then(schema_named)
            .or_else(|| of_input(name)),
    };
    found.map(|schema| Answer::Facts(schema, true)).ok_or_else(|| {
        let known: Vec<&str> =
            schema_names().chain(OPERATIONS.iter().map(|operation| operation.name)).collect();
        OpError::not_found(
            format!("there is no schema `{name}`"),
            format!(
                "Known: {}; of an operation also `NAME.input` and `NAME.answer`.",
                known.join(", ")
            ),
        )
    })
}
