//! Rows that only the linker reads: references, imports, bases, bindings, declared types.
//!
//! A file's record lists the strings it uses by their numbers in the segment, rising; its rows name
//! them by their place in that list, counted from one. Offsets of references are not kept (they read
//! as 0): their line is the evidence that edges carry, and offsets would be a third of the record.

use super::strings::{Interner, Strings};
use crate::rows::{self, MAX_ROWS};
use crate::varint::Reader;
use contextd_model::StrId;
use contextd_model::facts::{BaseRow, BindingRow, FileFacts, ImportRow, RefRow, SymbolRow};
use rustc_hash::FxHashMap;

/// What says how a symbol is typed, marked and called: strings by their places, and a number.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct TypeStrings {
    pub(crate) type_text: u32,
    pub(crate) generics: u32,
    pub(crate) annotations: u32,
    pub(crate) parameters: u8,
}

/// Rows of one file, their strings replaced by places in `strings`.
#[derive(Default)]
pub(crate) struct Links {
    /// Numbers in the segment: of the interner while writing, final ones after reading.
    pub(crate) strings: Vec<u32>,
    pub(crate) types: Vec<TypeStrings>,
    pub(crate) refs: Vec<RefRow>,
    pub(crate) imports: Vec<ImportRow>,
    pub(crate) bases: Vec<BaseRow>,
    pub(crate) bindings: Vec<BindingRow>,
}

impl Links {
    /// Takes the rows of a file over.
    pub(crate) fn collect(facts: &FileFacts, interner: &mut Interner) -> Self {
        let mut places = Places {
            facts,
            interner,
            strings: Vec::new(),
            known: vec![UNKNOWN; facts.strings.len()],
            numbers: FxHashMap::default(),
        };
        let types = limited(&facts.symbols).iter().map(|row| places.types(row)).collect();
        let mut links = Self {
            strings: Vec::new(),
            types,
            refs: limited(&facts.refs).to_vec(),
            imports: limited(&facts.imports).to_vec(),
            bases: limited(&facts.bases).to_vec(),
            bindings: limited(&facts.bindings).to_vec(),
        };
        links.each_string(|id| *id = StrId(places.place(*id)));
        links.strings = places.strings;
        links
    }

    /// Empties all lists and keeps their memory.
    pub(super) fn clear(&mut self) {
        self.strings.clear();
        self.types.clear();
        self.refs.clear();
        self.imports.clear();
        self.bases.clear();
        self.bindings.clear();
    }

    pub(super) fn each_string(&mut self, mut change: impl FnMut(&mut StrId)) {
        for row in &mut self.refs {
            change(&mut row.name);
            change(&mut row.qualifier);
        }
        for row in &mut self.imports {
            change(&mut row.module);
            change(&mut row.name);
            change(&mut row.alias);
        }
        for row in &mut self.bases {
            change(&mut row.name);
            change(&mut row.qualifier);
        }
        for row in &mut self.bindings {
            change(&mut row.name);
            change(&mut row.type_text);
        }
    }

    /// Gives the strings their final numbers, in rising order.
    fn renumber(&mut self, strings: &Strings) {
        let mut order: Vec<(u32, usize)> = self
            .strings
            .iter()
            .enumerate()
            .map(|(place, &number)| (strings.final_numbers[number as usize], place))
            .collect();
        order.sort_unstable();
        let mut places = vec![0; order.len() + 1];
        for (at, &(_, place)) in order.iter().enumerate() {
            places[place + 1] = at as u32 + 1;
        }
        self.strings = order.into_iter().map(|(number, _)| number).collect();
        self.each_string(|id| *id = StrId(places[id.0 as usize]));
        for row in &mut self.types {
            for place in [&mut row.type_text, &mut row.generics, &mut row.annotations] {
                *place = places[*place as usize];
            }
        }
    }

    /// Appends the record of the file.
    pub(crate) fn put(mut self, strings: &Strings, out: &mut Vec<u8>) {
        self.renumber(strings);
        rows::put_count(out, &self.strings);
        rows::put_delta(out, &self.strings, |number| *number);
        rows::put(out, &self.types, |row| row.type_text);
        rows::put(out, &self.types, |row| row.generics);
        rows::put(out, &self.types, |row| row.annotations);
        rows::put(out, &self.types, |row| row.parameters.into());
        put_refs(out, &self.refs);
        put_imports(out, &self.imports);
        put_bases(out, &self.bases);
        put_bindings(out, &self.bindings);
    }

    /// Reads a record of a file with `symbols` symbols; false when it is damaged.
    pub(crate) fn take(&mut self, bytes: &[u8], symbols: usize) -> bool {
        let mut reader = Reader::new(bytes);
        rows::take_rows(&mut reader, &mut self.strings);
        rows::take_delta(&mut reader, &mut self.strings, |number, value| *number = value);
        self.types.clear();
        self.types.resize(symbols, TypeStrings::default());
        rows::take(&mut reader, &mut self.types, |row, value| row.type_text = value);
        rows::take(&mut reader, &mut self.types, |row, value| row.generics = value);
        rows::take(&mut reader, &mut self.types, |row, value| row.annotations = value);
        rows::take(&mut reader, &mut self.types, |row, value| row.parameters = value as u8);
        take_refs(&mut reader, &mut self.refs);
        take_imports(&mut reader, &mut self.imports);
        take_bases(&mut reader, &mut self.bases);
        take_bindings(&mut reader, &mut self.bindings);
        reader.is_whole()
    }
}

/// More rows than any source file has are not kept.
fn limited<T>(rows: &[T]) -> &[T] {
    &rows[..rows.len().min(MAX_ROWS)]
}

/// Mark of a string that has no place yet.
const UNKNOWN: u32 = u32::MAX;

/// Gives each string of a file its place in the file's list.
struct Places<'a> {
    facts: &'a FileFacts,
    interner: &'a mut Interner,
    strings: Vec<u32>,
    /// Place of each string of the file, or [`UNKNOWN`].
    known: Vec<u32>,
    /// Places by the numbers of their strings: a text that the file has twice is one string here.
    numbers: FxHashMap<u32, u32>,
}

impl Places<'_> {
    fn place(&mut self, id: StrId) -> u32 {
        if id.is_empty() {
            return 0;
        }
        let Some(&known) = self.known.get(id.0 as usize) else {
            return 0;
        };
        if known != UNKNOWN {
            return known;
        }
        let text = self.facts.str(id);
        let place = if text.is_empty() { 0 } else { self.push(text) };
        self.known[id.0 as usize] = place;
        place
    }

    fn push(&mut self, text: &str) -> u32 {
        let number = self.interner.link(text);
        let strings = &mut self.strings;
        *self.numbers.entry(number).or_insert_with(|| {
            strings.push(number);
            strings.len() as u32
        })
    }

    fn types(&mut self, row: &SymbolRow) -> TypeStrings {
        TypeStrings {
            type_text: self.place(row.type_text),
            generics: self.place(row.generics),
            annotations: self.place(row.annotations),
            parameters: row.parameters,
        }
    }
}

fn put_refs(out: &mut Vec<u8>, refs: &[RefRow]) {
    rows::put_count(out, refs);
    rows::put_delta(out, refs, |row| row.owner);
    rows::put(out, refs, |row| row.name.0);
    rows::put(out, refs, |row| row.qualifier.0);
    rows::put_delta(out, refs, |row| row.line);
    rows::put(out, refs, |row| row.kind.into());
    rows::put(out, refs, |row| row.arguments.wrapping_add(1).into());
    rows::put(out, refs, |row| row.count.wrapping_sub(1).into());
}

fn take_refs(reader: &mut Reader<'_>, refs: &mut Vec<RefRow>) {
    rows::take_rows(reader, refs);
    rows::take_delta(reader, refs, |row, value| row.owner = value);
    rows::take(reader, refs, |row, value| row.name = StrId(value));
    rows::take(reader, refs, |row, value| row.qualifier = StrId(value));
    rows::take_delta(reader, refs, |row, value| row.line = value);
    rows::take(reader, refs, |row, value| row.kind = value as u8);
    rows::take(reader, refs, |row, value| row.arguments = (value as u8).wrapping_sub(1));
    rows::take(reader, refs, |row, value| row.count = (value as u16).wrapping_add(1));
}

fn put_imports(out: &mut Vec<u8>, imports: &[ImportRow]) {
    rows::put_count(out, imports);
    rows::put(out, imports, |row| row.module.0);
    rows::put(out, imports, |row| row.name.0);
    rows::put(out, imports, |row| row.alias.0);
    rows::put(out, imports, |row| row.owner);
    rows::put_delta(out, imports, |row| row.line);
    rows::put(out, imports, |row| row.kind.into());
}

fn take_imports(reader: &mut Reader<'_>, imports: &mut Vec<ImportRow>) {
    rows::take_rows(reader, imports);
    rows::take(reader, imports, |row, value| row.module = StrId(value));
    rows::take(reader, imports, |row, value| row.name = StrId(value));
    rows::take(reader, imports, |row, value| row.alias = StrId(value));
    rows::take(reader, imports, |row, value| row.owner = value);
    rows::take_delta(reader, imports, |row, value| row.line = value);
    rows::take(reader, imports, |row, value| row.kind = value as u8);
}

fn put_bases(out: &mut Vec<u8>, bases: &[BaseRow]) {
    rows::put_count(out, bases);
    rows::put_delta(out, bases, |row| row.owner);
    rows::put(out, bases, |row| row.name.0);
    rows::put(out, bases, |row| row.qualifier.0);
    rows::put_delta(out, bases, |row| row.line);
    rows::put(out, bases, |row| row.kind.into());
}

fn take_bases(reader: &mut Reader<'_>, bases: &mut Vec<BaseRow>) {
    rows::take_rows(reader, bases);
    rows::take_delta(reader, bases, |row, value| row.owner = value);
    rows::take(reader, bases, |row, value| row.name = StrId(value));
    rows::take(reader, bases, |row, value| row.qualifier = StrId(value));
    rows::take_delta(reader, bases, |row, value| row.line = value);
    rows::take(reader, bases, |row, value| row.kind = value as u8);
}

fn put_bindings(out: &mut Vec<u8>, bindings: &[BindingRow]) {
    rows::put_count(out, bindings);
    rows::put_delta(out, bindings, |row| row.owner);
    rows::put(out, bindings, |row| row.name.0);
    rows::put(out, bindings, |row| row.type_text.0);
    rows::put_delta(out, bindings, |row| row.line);
    rows::put(out, bindings, |row| row.how.into());
    rows::put(out, bindings, |row| row.position.into());
    rows::put(out, bindings, |row| row.flags.into());
}

fn take_bindings(reader: &mut Reader<'_>, bindings: &mut Vec<BindingRow>) {
    rows::take_rows(reader, bindings);
    rows::take_delta(reader, bindings, |row, value| row.owner = value);
    rows::take(reader, bindings, |row, value| row.name = StrId(value));
    rows::take(reader, bindings, |row, value| row.type_text = StrId(value));
    rows::take_delta(reader, bindings, |row, value| row.line = value);
    rows::take(reader, bindings, |row, value| row.how = value as u8);
    rows::take(reader, bindings, |row, value| row.position = value as u8);
    rows::take(reader, bindings, |row, value| row.flags = value as u16);
}
