//! Bytes of [`FileFacts`] for the cache. Private to this version of the extractor: the cache key
//! names the version, so nothing here has to read older bytes.

use super::{FileFacts, FileText};
use crate::strings::{StrId, StringTable};
use bytemuck::Pod;

impl FileFacts {
    /// Writes the facts as bytes.
    pub fn encode(&self) -> Vec<u8> {
        let mut out = Vec::with_capacity(
            1024 + self.strings.bytes.len() + self.refs.len() * 28 + self.symbols.len() * 72,
        );
        for number in [u32::from(self.language), self.flags, self.lines, self.size, self.package.0]
        {
            out.extend_from_slice(&number.to_le_bytes());
        }
        put_strings(&mut out, &self.strings);
        put_rows(&mut out, &self.symbols);
        put_rows(&mut out, &self.refs);
        put_rows(&mut out, &self.imports);
        put_rows(&mut out, &self.bases);
        put_rows(&mut out, &self.bindings);
        put_rows(&mut out, &self.chunks);
        put_strings(&mut out, &self.text.strings);
        put_rows(&mut out, &self.text.cells);
        put_rows(&mut out, &self.text.terms);
        out
    }

    /// Reads what [`FileFacts::encode`] wrote; `None` when the bytes are not whole.
    pub fn decode(bytes: &[u8]) -> Option<FileFacts> {
        let mut input = Input { bytes };
        let language = u8::try_from(input.number()?).ok()?;
        let facts = FileFacts {
            language,
            flags: input.number()?,
            lines: input.number()?,
            size: input.number()?,
            package: StrId(input.number()?),
            strings: input.strings()?,
            symbols: input.rows()?,
            refs: input.rows()?,
            imports: input.rows()?,
            bases: input.rows()?,
            bindings: input.rows()?,
            chunks: input.rows()?,
            text: FileText {
                strings: input.strings()?,
                cells: input.rows()?,
                terms: input.rows()?,
            },
        };
        (input.bytes.is_empty() && facts.hangs_together()).then_some(facts)
    }

    /// True when every row names symbols that there are, and parents come first: what readers rely on.
    fn hangs_together(&self) -> bool {
        let count = self.symbols.len() as u32;
        let parents =
            self.symbols.iter().enumerate().skip(1).all(|(at, row)| (row.parent as usize) < at);
        let owners = self
            .refs
            .iter()
            .map(|row| row.owner)
            .chain(self.imports.iter().map(|row| row.owner))
            .chain(self.bases.iter().map(|row| row.owner))
            .chain(self.bindings.iter().map(|row| row.owner));
        parents
            && owners
                .chain(self.text.cells.iter().map(|cell| cell.symbol))
                .all(|symbol| symbol < count || symbol == super::NONE)
    }
}

fn put_rows<T: Pod>(out: &mut Vec<u8>, rows: &[T]) {
    out.extend_from_slice(&(rows.len() as u32).to_le_bytes());
    out.extend_from_slice(bytemuck::cast_slice(rows));
}

fn put_strings(out: &mut Vec<u8>, strings: &StringTable) {
    put_rows(out, strings.bytes.as_bytes());
    put_rows(out, &strings.ends);
}

struct Input<'a> {
    bytes: &'a [u8],
}

impl<'a> Input<'a> {
    fn take(&mut self, count: usize) -> Option<&'a [u8]> {
        let (head, tail) = self.bytes.split_at_checked(count)?;
        self.bytes = tail;
        Some(head)
    }

    fn number(&mut self) -> Option<u32> {
        Some(u32::from_le_bytes(self.take(4)?.try_into().ok()?))
    }

    fn rows<T: Pod>(&mut self) -> Option<Vec<T>> {
        let count = self.number()? as usize;
        let bytes = self.take(count.checked_mul(size_of::<T>())?)?;
        Some(bytemuck::allocation::pod_collect_to_vec(bytes))
    }

    fn strings(&mut self) -> Option<StringTable> {
        let bytes = String::from_utf8(self.rows::<u8>()?).ok()?;
        let ends = self.rows::<u32>()?;
        let ordered = ends.first() == Some(&0)
            && ends.is_sorted()
            && ends.last().is_some_and(|&end| end as usize == bytes.len());
        (ordered && ends.iter().all(|&end| bytes.is_char_boundary(end as usize)))
            .then_some(StringTable { bytes, ends })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::facts::{RefRow, SymbolRow};

    #[test]
    fn facts_that_name_symbols_which_are_not_there_are_not_read() {
        let mut facts = FileFacts {
            strings: StringTable { bytes: String::new(), ends: vec![0] },
            ..FileFacts::default()
        };
        facts.text.strings = facts.strings.clone();
        facts.symbols =
            vec![SymbolRow { parent: u32::MAX, ..SymbolRow::default() }, SymbolRow::default()];
        assert!(FileFacts::decode(&facts.encode()).is_some());
        facts.symbols[1].parent = 1;
        assert!(FileFacts::decode(&facts.encode()).is_none());
        facts.symbols[1].parent = 0;
        facts.refs.push(RefRow { owner: 2, ..RefRow::default() });
        assert!(FileFacts::decode(&facts.encode()).is_none());
    }
}
