//! Random facts, the same for the same seed.

use contextd_model::facts::{
    BaseRow, BindingRow, CellRow, ChunkRow, FILE_SYMBOL, FactsView, FileText, ImportRow, NONE,
    RefRow, SymbolRow, TermRow,
};
use contextd_model::{ContentHash, FileFacts, StrId, StringTable, SymbolKind};
use contextd_snapshot::{SegmentFile, SegmentImage, SegmentWriter};

/// Small generator of numbers, so that a failing seed is all a failing case needs.
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    pub fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 11
    }

    pub fn below(&mut self, end: u64) -> u32 {
        (self.next() % end.max(1)) as u32
    }

    /// Mostly small, sometimes anything.
    pub fn number(&mut self) -> u32 {
        match self.below(20) {
            0 => self.next() as u32,
            1 => u32::MAX,
            2..8 => 0,
            _ => self.below(2_000),
        }
    }

    pub fn pick<'a>(&mut self, choices: &[&'a str]) -> &'a str {
        choices[self.below(choices.len() as u64) as usize]
    }
}

const NAMES: &[&str] = &[
    "",
    "get",
    "Get",
    "GET",
    "get_all",
    "parseRequest",
    "Foo",
    "foo",
    "größe",
    "ΣΑΣ",
    "İ",
    "run",
    "Δ",
    "a.b",
    "x",
];
const TEXTS: &[&str] = &[
    "",
    "fn get(&self) -> Foo",
    "Returns the requests.",
    "class Foo(Bar):",
    "größer als\nzwei Zeilen",
    "test test test",
    "a",
];
const TERMS: &[&str] = &[
    "get",
    "request",
    "foo",
    "\u{1}parserequest",
    "größe",
    "pars",
    "\u{1}getall",
    "zz",
    "a",
    "test",
];

fn string(random: &mut Random, strings: &mut StringTable, choices: &[&str]) -> StrId {
    let text = if random.below(6) == 0 {
        format!("{}{}", random.pick(choices), random.below(300))
    } else {
        random.pick(choices).to_owned()
    };
    strings.push(&text)
}

/// Returns the facts of a random file.
pub fn facts(random: &mut Random) -> FileFacts {
    let mut facts = FileFacts {
        language: random.below(40) as u8,
        flags: random.below(32),
        lines: random.number(),
        size: random.below(90_000),
        ..FileFacts::default()
    };
    let mut strings = StringTable::default();
    facts.package = string(random, &mut strings, NAMES);
    for at in 0..1 + random.below(12) {
        let row = symbol(random, &mut strings, &facts.symbols, at);
        facts.symbols.push(row);
    }
    let symbols = facts.symbols.len() as u64;
    let count = random.below(30);
    for _ in 0..count {
        facts.refs.push(RefRow {
            owner: random.below(symbols),
            name: string(random, &mut strings, NAMES),
            qualifier: string(random, &mut strings, NAMES),
            line: random.number(),
            // Offsets of references are not kept.
            start: 0,
            kind: random.below(256) as u8,
            arguments: random.below(256) as u8,
            count: random.below(65_536) as u16,
        });
    }
    push_declarations(random, &mut facts, &mut strings);
    let labels: Vec<StrId> =
        facts.symbols.iter().flat_map(|row| [row.name, row.qualified]).collect();
    for _ in 0..random.below(6) {
        let own = string(random, &mut strings, TEXTS);
        let label = if random.below(2) == 0 {
            own
        } else {
            labels[random.below(labels.len() as u64) as usize]
        };
        facts.chunks.push(ChunkRow {
            label,
            symbol: random.below(symbols + 1),
            start: random.number(),
            end: random.number(),
            start_line: random.number(),
            end_line: random.number(),
            tokens: random.number(),
            kind: random.below(256) as u8,
            language: random.below(256) as u8,
            part: random.below(65_536) as u16,
        });
    }
    facts.strings = strings;
    facts.text = text(random, symbols);
    facts
}

fn symbol(
    random: &mut Random,
    strings: &mut StringTable,
    before: &[SymbolRow],
    at: u32,
) -> SymbolRow {
    let parent = match at {
        0 => NONE,
        at if random.below(3) == 0 => random.below(at.into()),
        _ => FILE_SYMBOL,
    };
    let name = string(random, strings, NAMES);
    let parent_name =
        before.get(parent as usize).map_or("", |row| strings.get(row.qualified)).to_owned();
    let own = strings.get(name).to_owned();
    let qualified = match random.below(4) {
        0 => string(random, strings, NAMES),
        1 => strings.push(&format!("Other.{own}")),
        _ if parent == FILE_SYMBOL || parent == NONE => name,
        _ => strings.push(&format!("{parent_name}.{own}")),
    };
    SymbolRow {
        name,
        qualified,
        signature: string(random, strings, TEXTS),
        doc: string(random, strings, TEXTS),
        type_text: string(random, strings, NAMES),
        generics: string(random, strings, NAMES),
        annotations: string(random, strings, NAMES),
        parent,
        start: random.number(),
        end: random.number(),
        doc_start: random.number(),
        body_start: random.number(),
        name_start: random.number(),
        start_line: random.number(),
        end_line: random.number(),
        name_line: random.number(),
        modifiers: random.number(),
        complexity: random.below(65_536) as u16,
        kind: if at == 0 { SymbolKind::File as u8 } else { random.below(33) as u8 },
        visibility: random.below(5) as u8,
        parameters: random.below(256) as u8,
        pad: [0; 3],
    }
}

fn push_declarations(random: &mut Random, facts: &mut FileFacts, strings: &mut StringTable) {
    let symbols = facts.symbols.len() as u64;
    for _ in 0..random.below(8) {
        facts.imports.push(ImportRow {
            module: string(random, strings, NAMES),
            name: string(random, strings, NAMES),
            alias: string(random, strings, NAMES),
            owner: random.below(symbols),
            line: random.number(),
            kind: random.below(6) as u8,
            pad: [0; 3],
        });
        facts.bases.push(BaseRow {
            owner: random.below(symbols),
            name: string(random, strings, NAMES),
            qualifier: string(random, strings, NAMES),
            line: random.number(),
            kind: random.below(3) as u8,
            pad: [0; 3],
        });
        facts.bindings.push(BindingRow {
            owner: random.below(symbols),
            name: string(random, strings, NAMES),
            type_text: string(random, strings, TEXTS),
            line: random.number(),
            how: random.below(6) as u8,
            position: random.below(256) as u8,
            flags: random.below(65_536) as u16,
        });
    }
}

fn text(random: &mut Random, symbols: u64) -> FileText {
    let mut text = FileText::default();
    for block in 0..random.below(8) {
        for _ in 0..random.below(8) {
            let term = text.strings.push(random.pick(TERMS));
            text.terms.push(TermRow {
                term,
                count: if random.below(30) == 0 { random.number() } else { 1 + random.below(6) },
            });
        }
        text.cells.push(CellRow {
            symbol: random.below(symbols),
            block: block / 2,
            words: random.number(),
            compounds: random.below(9),
            terms_end: text.terms.len() as u32,
        });
    }
    text
}

/// A random file with its path.
pub struct File {
    pub path: String,
    pub hash: ContentHash,
    pub facts: FileFacts,
}

/// Returns random files in path order.
pub fn files(random: &mut Random, count: u32) -> Vec<File> {
    let folders = ["src", "src/get", "tests", "a b", "größe"];
    let file = |at: u32, random: &mut Random| {
        let path =
            format!("{}/{}{at}.rs", random.pick(&folders), random.pick(&["get", "fooBar", "x"]));
        File { hash: ContentHash::of(path.as_bytes()), path, facts: facts(random) }
    };
    let mut files: Vec<File> = (0..count).map(|at| file(at, random)).collect();
    files.sort_by(|a, b| a.path.cmp(&b.path));
    files
}

/// Freezes files.
pub fn freeze(files: &[File]) -> SegmentImage {
    writer_of(files).finish()
}

/// Returns a writer that has taken files in.
pub fn writer_of(files: &[File]) -> SegmentWriter {
    let mut writer = SegmentWriter::default();
    for file in files {
        writer.push(SegmentFile { path: &file.path, hash: file.hash, facts: &file.facts });
    }
    writer
}

/// Writes a facts view down with its strings in place of their numbers.
pub fn plain(view: &FactsView<'_>) -> Vec<String> {
    let text = |id: StrId| view.str(id);
    let mut lines = vec![format!(
        "{:?} {}",
        (view.language, view.flags, view.lines, view.size),
        view.package_name()
    )];
    for row in view.symbols {
        let strings = [
            row.name,
            row.qualified,
            row.signature,
            row.doc,
            row.type_text,
            row.generics,
            row.annotations,
        ]
        .map(text);
        let empty = StrId::EMPTY;
        let rest = SymbolRow {
            name: empty,
            qualified: empty,
            signature: empty,
            doc: empty,
            type_text: empty,
            generics: empty,
            annotations: empty,
            ..*row
        };
        lines.push(format!("{strings:?} {rest:?}"));
    }
    let none = StrId::EMPTY;
    lines.extend(view.refs.iter().map(|row| {
        format!(
            "{:?} {:?}",
            [row.name, row.qualifier].map(text),
            RefRow { name: none, qualifier: none, ..*row }
        )
    }));
    lines.extend(view.imports.iter().map(|row| {
        format!(
            "{:?} {:?}",
            [row.module, row.name, row.alias].map(text),
            ImportRow { module: none, name: none, alias: none, ..*row }
        )
    }));
    lines.extend(view.bases.iter().map(|row| {
        format!(
            "{:?} {:?}",
            [row.name, row.qualifier].map(text),
            BaseRow { name: none, qualifier: none, ..*row }
        )
    }));
    lines.extend(view.bindings.iter().map(|row| {
        format!(
            "{:?} {:?}",
            [row.name, row.type_text].map(text),
            BindingRow { name: none, type_text: none, ..*row }
        )
    }));
    lines.extend(
        view.chunks
            .iter()
            .map(|row| format!("{:?} {:?}", text(row.label), ChunkRow { label: none, ..*row })),
    );
    lines
}
