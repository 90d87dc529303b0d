//! `symbol`: definition, callers, callees, tests.

use crate::answer::{Answer, Relation, SymbolAnswer, SymbolInfo};
use crate::context::Context;
use crate::error::OpError;
use crate::inputs::SymbolInput;
use contextd_engine::Reader;
use contextd_lang::LanguageId;
use contextd_model::SymbolKind;
use contextd_model::graph::EdgeRow;
use contextd_pack::{Section, SymbolIds, Texts, section_of};

/// Symbols of one name that are shown whole; the others are listed.
const SHOWN: usize = 3;
/// Longest source shown, in bytes.
const SOURCE: usize = 6_000;

pub fn symbol(context: &Context, input: SymbolInput) -> Result<Answer, OpError> {
    if input.name.trim().is_empty() {
        return Err(OpError::request(
            "no symbol is named",
            "Give a name such as `parse` or `Parser.parse`.",
        ));
    }
    let reader = context.reader()?;
    let found = crate::named::symbols(context, &reader, &input.name)?;
    let ids = SymbolIds::new(&reader.snapshot);
    let limit = input.limit.unwrap_or(20).min(200) as usize;
    let symbols = found
        .iter()
        .take(SHOWN)
        .map(|&symbol| info(context, &reader, &ids, symbol, limit))
        .collect();
    let place = |&symbol: &u32| {
        let symbol = reader.snapshot.symbol(symbol);
        format!("{} ({}:{})", symbol.qualified(), symbol.path(), symbol.start_line())
    };
    Ok(Answer::Symbol(SymbolAnswer {
        symbols,
        others: found.iter().skip(SHOWN).take(20).map(place).collect(),
        cut: false,
    }))
}

fn info(
    context: &Context,
    reader: &Reader,
    ids: &SymbolIds<'_>,
    number: u32,
    limit: usize,
) -> SymbolInfo {
    let snapshot = &reader.snapshot;
    let symbol = snapshot.symbol(number);
    let detail = symbol.detail();
    let text =
        context.engine.texts().read(symbol.path()).filter(|text| text.hash == symbol.file().hash());
    let whole =
        text.as_ref().map_or("", |text| text.part(detail.doc_start.min(detail.start), detail.end));
    let (source, truncated) = contextd_pack::texts::cut(whole, SOURCE);
    let relations = relations(reader, number);
    let of = |section: Section| {
        relations
            .iter()
            .filter(|(own, _)| *own == section)
            .map(|(_, relation)| relation.clone())
            .take(limit)
            .collect::<Vec<_>>()
    };
    let members = symbol
        .descendants()
        .filter(|&member| snapshot.symbol(member).parent() == Some(number))
        .filter(|_| symbol.kind().is_type() || symbol.kind() == SymbolKind::Module)
        .map(|member| snapshot.symbol(member).name().to_owned())
        .take(limit * 2)
        .collect();
    SymbolInfo {
        symbol_id: ids.of(number),
        symbol: symbol.qualified().into_owned(),
        kind: symbol.kind().name().to_owned(),
        file: symbol.path().to_owned(),
        start_line: symbol.start_line(),
        end_line: symbol.end_line(),
        language: LanguageId(symbol.language()).name().to_owned(),
        visibility: symbol.visibility().name().to_owned(),
        signature: detail.signature.clone(),
        doc: detail.doc.clone(),
        source: source.to_owned(),
        truncated,
        stale: text.is_none(),
        callers: of(Section::Callers),
        callees: of(Section::Callees),
        usages: of(Section::Usages),
        tests: of(Section::Tests),
        docs: of(Section::Docs),
        related: of(Section::Related),
        members,
    }
}

fn relations(reader: &Reader, number: u32) -> Vec<(Section, Relation)> {
    let graph = reader.snapshot.graph();
    let mut found: Vec<(Section, u32, EdgeRow, bool)> = Vec::new();
    for edge in graph.out(number) {
        found.extend(
            section_of(edge.kind(), false).map(|section| (section, edge.target, edge, false)),
        );
    }
    for (source, edge) in graph.incoming(number).take(20_000) {
        let section = section_of(edge.kind(), true).map(|section| {
            if reader.catalog.is_test(source) && section != Section::Docs {
                Section::Tests
            } else {
                section
            }
        });
        found.extend(section.map(|section| (section, source, edge, true)));
    }
    found.sort_by_key(|&(section, other, edge, incoming)| {
        (
            section,
            std::cmp::Reverse(edge.confidence),
            std::cmp::Reverse(edge.count),
            other,
            incoming,
            edge.line,
        )
    });
    found.dedup_by_key(|(section, other, _, incoming)| (*section, *other, *incoming));
    found
        .into_iter()
        .map(|(section, other, edge, incoming)| {
            (section, relation(reader, number, other, &edge, incoming))
        })
        .collect()
}

fn relation(reader: &Reader, number: u32, other: u32, edge: &EdgeRow, incoming: bool) -> Relation {
    let symbol = reader.snapshot.symbol(other);
    // The evidence lies in the file of the edge's source.
    let holder = reader.snapshot.symbol(if incoming { other } else { number });
    Relation {
        symbol: if symbol.parent().is_none() {
            symbol.path().to_owned()
        } else {
            symbol.qualified().into_owned()
        },
        kind: symbol.kind().name().to_owned(),
        edge: edge.kind().name().to_owned(),
        file: symbol.path().to_owned(),
        line: symbol.start_line(),
        seen_at: format!("{}:{}", holder.path(), edge.line),
        confidence: f64::from(edge.confidence) / 100.0,
        certainty: if edge.is_known() { "known" } else { "guessed" }.to_owned(),
    }
}
