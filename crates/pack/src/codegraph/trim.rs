//! Under the limit: what goes first, in the order that is set down.

use super::{CodeGraph, CodeGraphError, Entity, Signature, formulas};
use crate::canonical;
use crate::tokens::Tokenizer;
use std::collections::BTreeSet;

/// Keys of left-out entities that are named.
const NAMED: usize = 50;
/// Longest type text after compression, and longest doc text after truncation, in characters.
const TYPE: usize = 40;
const DOC: usize = 80;
/// Tokens that the fields made at the end may take: count, status, steps.
const MARGIN: u64 = 200;

/// Returns the context under its limit, or says that what must be in it is too much.
pub fn trim(mut graph: CodeGraph, tokenizer: Tokenizer) -> Result<CodeGraph, CodeGraphError> {
    let limit = graph.query_context.size_limit;
    let mut size = graph.count(tokenizer);
    for (name, step) in STEPS {
        if size + MARGIN <= limit {
            break;
        }
        step(&mut graph, size, limit, tokenizer);
        graph.optimization_info.truncation_steps.push((*name).to_owned());
        size = graph.count(tokenizer);
    }
    // Estimates of single entities add up to a little less than the whole.
    while size + MARGIN > limit {
        let before = graph.entities.len();
        remove(&mut graph, size, limit, tokenizer, |entity| entity.dependency_level >= 1);
        if graph.entities.len() == before {
            break;
        }
        size = graph.count(tokenizer);
    }
    if size + MARGIN > limit {
        return Err(CodeGraphError {
            error: "context_size_exceeded".to_owned(),
            message: format!("Context generation exceeded {} token limit", with_commas(limit)),
            missing_entities: Vec::new(),
            attempted_size: Some(size),
            suggestion: "Reduce hop_depth or limit query scope".to_owned(),
        });
    }
    graph.optimization_info.truncation_applied =
        !graph.optimization_info.truncation_steps.is_empty();
    graph.size_status = formulas::size_status(size, limit).to_owned();
    // The status is part of what is counted, the count is not.
    graph.token_count = graph.count(tokenizer);
    Ok(graph)
}

type Step = fn(&mut CodeGraph, u64, u64, Tokenizer);

const STEPS: &[(&str, Step)] = &[
    ("remove_priority_3", |graph, size, limit, tokenizer| {
        remove(graph, size, limit, tokenizer, |entity| entity.dependency_level >= 3)
    }),
    ("compress_signatures", |graph, _, _, _| graph.entities.iter_mut().for_each(compress)),
    ("truncate_documentation", |graph, _, _, _| graph.entities.iter_mut().for_each(shorten)),
    ("limit_relationships", limit_relationships),
    ("remove_lsp_metadata", |graph, _, _, _| {
        graph
            .entities
            .iter_mut()
            .filter(|entity| entity.dependency_level >= 2)
            .for_each(|entity| entity.lsp_metadata = None)
    }),
    ("remove_priority_2", |graph, size, limit, tokenizer| {
        remove(graph, size, limit, tokenizer, |entity| entity.dependency_level >= 1)
    }),
];

/// Leaves out the least relevant of those that may go, until the rest fits by the count of each.
fn remove(
    graph: &mut CodeGraph,
    size: u64,
    limit: u64,
    tokenizer: Tokenizer,
    may_go: fn(&Entity) -> bool,
) {
    let mut over = (size + 2 * MARGIN).saturating_sub(limit) as i64;
    let direct: BTreeSet<String> = direct(graph);
    let mut gone: Vec<String> = Vec::new();
    // Entities stand in order of relevance, what the bases lean on before what leans on them.
    for entity in graph.entities.iter().rev() {
        if over <= 0 {
            break;
        }
        if may_go(entity) && !direct.contains(&entity.isgl1_key) {
            over -= tokenizer.count(&canonical::to_string(entity)) as i64;
            // What leaves is named, which takes room itself.
            over +=
                if gone.len() < NAMED { tokenizer.count(&entity.isgl1_key) as i64 + 3 } else { 0 };
            gone.push(entity.isgl1_key.clone());
        }
    }
    let left: BTreeSet<&String> = gone.iter().collect();
    graph.entities.retain(|entity| !left.contains(&entity.isgl1_key));
    graph.relationships.retain(|relationship| {
        !left.contains(&relationship.dependent) && !left.contains(&relationship.dependency)
    });
    graph.optimization_info.cycles.retain(|cycle| cycle.iter().all(|key| !left.contains(key)));
    let info = &mut graph.optimization_info;
    info.excluded_count += gone.len() as u32;
    gone.reverse();
    gone.append(&mut info.excluded_entities);
    gone.truncate(NAMED);
    info.excluded_entities = gone;
}

/// Returns the keys that a base leans on: they are always part of the context.
fn direct(graph: &CodeGraph) -> BTreeSet<String> {
    let bases: BTreeSet<&String> = graph.query_context.base_entities.iter().collect();
    graph
        .relationships
        .iter()
        .filter(|relationship| bases.contains(&relationship.dependent))
        .map(|relationship| relationship.dependency.clone())
        .collect()
}

fn compress(entity: &mut Entity) {
    let compact = |text: &mut String| {
        if text.chars().count() > TYPE {
            let head: String = text
                .chars()
                .take_while(|letter| !matches!(letter, '<' | '(' | '[' | '{'))
                .take(TYPE)
                .collect();
            *text = format!("{}…", head.trim_end());
        }
    };
    match &mut entity.interface_signature.signature {
        Signature::Callable { parameters, return_type, generics, .. } => {
            parameters.iter_mut().for_each(|parameter| compact(&mut parameter.type_text));
            compact(return_type);
            generics.iter_mut().for_each(compact);
        }
        Signature::Type { fields, generics, .. } => {
            fields.iter_mut().for_each(|field| compact(&mut field.type_text));
            generics.iter_mut().for_each(compact);
        }
        Signature::Value { type_text } => compact(type_text),
    }
}

/// Keeps the first sentence of a doc text, and of that no more than a line.
fn shorten(entity: &mut Entity) {
    let doc = &mut entity.interface_signature.documentation;
    let sentence = doc
        .split_inclusive(". ")
        .next()
        .unwrap_or_default()
        .lines()
        .next()
        .unwrap_or_default()
        .trim();
    *doc = if sentence.chars().count() > DOC {
        format!("{}…", sentence.chars().take(DOC - 1).collect::<String>().trim_end())
    } else {
        sentence.to_owned()
    };
}

/// Keeps the strongest relationships; what the bases lean on is kept whatever it is.
fn limit_relationships(graph: &mut CodeGraph, size: u64, limit: u64, tokenizer: Tokenizer) {
    let mut over = (size + 2 * MARGIN).saturating_sub(limit) as i64;
    let bases: BTreeSet<&String> = graph.query_context.base_entities.iter().collect();
    let keep: Vec<bool> = {
        let mut keep = vec![true; graph.relationships.len()];
        for (at, relationship) in graph.relationships.iter().enumerate().rev() {
            if over > 0 && !bases.contains(&relationship.dependent) {
                over -= tokenizer.count(&canonical::to_string(relationship)) as i64;
                keep[at] = false;
            }
        }
        keep
    };
    let mut marks = keep.into_iter();
    graph.relationships.retain(|_| marks.next().unwrap_or(true));
}

fn with_commas(number: u64) -> String {
    let digits = number.to_string();
    let groups: Vec<&str> = digits
        .as_bytes()
        .rchunks(3)
        .rev()
        .filter_map(|group| std::str::from_utf8(group).ok())
        .collect();
    groups.join(",")
}

#[cfg(test)]
mod tests {
    use super::with_commas;

    #[test]
    fn numbers_are_grouped() {
        assert_eq!(
            [with_commas(7), with_commas(100_000), with_commas(1_234_567)],
            ["7", "100,000", "1,234,567"]
        );
    }
}
