//! Documents: Markdown, reStructuredText, AsciiDoc. Sections are symbols, code in them is mentioned.
//!
//! Headings and fences are lines, so one pass over lines finds them all.

use super::Hooks;
use crate::intern::Interner;
use crate::names;
use contextd_model::facts::{FILE_SYMBOL, FileFacts, NONE, RefRow, SymbolRow};
use contextd_model::{RefKind, SymbolKind, Visibility};
use rustc_hash::FxHashMap;

/// How headings and code are written.
pub enum Prose {
    Markdown,
    Rst,
    Asciidoc,
}

impl Hooks for Prose {
    fn extract(&self, text: &str) -> Option<FileFacts> {
        let lines = Lines::of(text);
        let (headings, fenced) = self.headings(&lines);
        let mut draft = Draft {
            interner: Interner::default(),
            symbols: vec![file_row(text)],
            refs: Vec::new(),
            seen: FxHashMap::default(),
        };
        draft.sections(text, &lines, &headings);
        draft.mentions(self, &lines, &fenced);
        draft.refs.sort_by_key(|row| (row.owner, row.start));
        Some(FileFacts {
            strings: draft.interner.table,
            symbols: draft.symbols,
            refs: draft.refs,
            ..FileFacts::default()
        })
    }
}

struct Lines<'t> {
    lines: Vec<(usize, &'t str)>,
    end: usize,
}

impl<'t> Lines<'t> {
    fn of(text: &'t str) -> Self {
        let mut start = 0;
        let mut lines = Vec::with_capacity(text.len() / 32);
        for end in memchr::memchr_iter(b'\n', text.as_bytes())
            .chain((!text.is_empty() && !text.ends_with('\n')).then_some(text.len()))
        {
            lines.push((start, text[start..end].trim_end_matches('\r')));
            start = end + 1;
        }
        Self { lines, end: text.len() }
    }

    fn text(&self, line: usize) -> &'t str {
        self.lines.get(line).map_or("", |&(_, text)| text)
    }

    fn start(&self, line: usize) -> usize {
        self.lines.get(line).map_or(self.end, |&(start, _)| start)
    }
}

struct Heading {
    level: u8,
    line: usize,
    title: String,
    /// Offset of the title.
    at: usize,
}

impl Prose {
    /// Returns the headings, and for each line whether it is code.
    fn headings(&self, lines: &Lines<'_>) -> (Vec<Heading>, Vec<bool>) {
        let mut headings = Vec::new();
        let mut code = vec![false; lines.lines.len()];
        let mut fence: Option<&str> = None;
        let mut styles: Vec<(char, bool)> = Vec::new();
        let mut line = 0;
        while line < lines.lines.len() {
            let text = lines.text(line);
            if let Some(mark) = self.fence(text) {
                match fence {
                    None => fence = Some(mark),
                    Some(open)
                        if text.trim().starts_with(open)
                            && text.trim().chars().all(|c| open.starts_with(c)) =>
                    {
                        fence = None
                    }
                    Some(_) => {}
                }
                code[line] = true;
            } else if fence.is_some() || matches!(self, Prose::Rst) && is_indented(text) {
                code[line] = true;
            } else if let Some((heading, used)) = self.heading(lines, line, &mut styles) {
                headings.push(heading);
                line += used;
                continue;
            }
            line += 1;
        }
        (headings, code)
    }

    fn fence<'t>(&self, text: &'t str) -> Option<&'t str> {
        if matches!(self, Prose::Rst) {
            return None;
        }
        let trimmed = text.trim_start();
        match self {
            Prose::Markdown if trimmed.starts_with("```") || trimmed.starts_with("~~~") => {
                Some(&trimmed[..3])
            }
            Prose::Asciidoc if trimmed.starts_with("----") => Some(&trimmed[..4]),
            _ => None,
        }
    }

    /// Returns the heading that starts at a line, and how many lines it takes.
    fn heading(
        &self,
        lines: &Lines<'_>,
        line: usize,
        styles: &mut Vec<(char, bool)>,
    ) -> Option<(Heading, usize)> {
        let text = lines.text(line);
        match self {
            Prose::Markdown => marked(lines, line, '#').map(|heading| (heading, 1)).or_else(|| {
                let level = match lines.text(line + 1).trim_end() {
                    under if under.len() >= 2 && under.bytes().all(|byte| byte == b'=') => 1,
                    under if under.len() >= 3 && under.bytes().all(|byte| byte == b'-') => 2,
                    _ => return None,
                };
                is_title(text).then(|| (titled(lines, line, level), 2))
            }),
            Prose::Asciidoc => marked(lines, line, '=').map(|heading| (heading, 1)),
            Prose::Rst => {
                let over = underline(text).filter(|&mark| {
                    underline(lines.text(line + 2)) == Some(mark) && is_title(lines.text(line + 1))
                });
                let (title, mark, used, both) = match over {
                    Some(mark) => (line + 1, mark, 3, true),
                    None => (
                        line,
                        underline(lines.text(line + 1)).filter(|_| {
                            is_title(text)
                                && lines.text(line + 1).trim_end().len() + 1 >= text.trim().len()
                        })?,
                        2,
                        false,
                    ),
                };
                let level =
                    styles.iter().position(|style| *style == (mark, both)).unwrap_or_else(|| {
                        styles.push((mark, both));
                        styles.len() - 1
                    });
                Some((titled(lines, title, level.min(200) as u8 + 1), used))
            }
        }
    }
}

/// Bytes that stand between names in code; those of other scripts may be letters.
const IS_BETWEEN_NAMES: [bool; 256] = {
    let (mut is_between, mut byte) = ([false; 256], 0);
    while byte < 128 {
        is_between[byte] =
            !(byte as u8).is_ascii_alphanumeric() && !matches!(byte as u8, b'_' | b'.' | b':');
        byte += 1;
    }
    is_between
};

fn is_indented(text: &str) -> bool {
    text.starts_with("    ") || text.starts_with('\t')
}

fn is_title(text: &str) -> bool {
    let text = text.trim();
    !text.is_empty()
        && text.len() < 200
        && !text.starts_with(['-', '*', '|', '>', '<', '`'])
        && text.chars().any(char::is_alphanumeric)
}

/// Returns the words of more than two bytes in a line of code, with the dots and colons that join names. Bytes tell most of
/// them; only where other scripts are does it take characters.
fn code_words(line: &str) -> impl Iterator<Item = &str> {
    let mut at = 0;
    let runs = line.as_bytes().split(|&byte| IS_BETWEEN_NAMES[usize::from(byte)]).map(move |run| {
        let start = at;
        at += run.len() + 1;
        &line[start..start + run.len()]
    });
    let words = runs.filter(|run| run.len() > 2).flat_map(|run| {
        let parts =
            (!run.is_ascii()).then(|| run.split(|c: char| !c.is_ascii() && !c.is_alphanumeric()));
        run.is_ascii().then_some(run).into_iter().chain(parts.into_iter().flatten())
    });
    words.filter(|word| word.len() > 2)
}

/// True for a name with a capital inside, or an underscore.
fn is_written_like_code(word: &str) -> bool {
    word.chars().skip(1).any(char::is_uppercase)
        || word.as_bytes().contains(&b'_') && word.trim_matches('_').contains('_')
}

/// Returns the character that a line repeats as an underline.
fn underline(text: &str) -> Option<char> {
    let first = *text.as_bytes().first().filter(|first| b"=-~^\"'`#*+:.<>_".contains(first))?;
    let text = text.trim_end();
    (text.len() >= 2 && text.bytes().all(|byte| byte == first)).then_some(char::from(first))
}

fn marked(lines: &Lines<'_>, line: usize, mark: char) -> Option<Heading> {
    let text = lines.text(line);
    let level = text.chars().take_while(|&c| c == mark).count();
    let rest = &text[level..];
    ((1..=6).contains(&level) && rest.starts_with([' ', '\t']))
        .then(|| titled(lines, line, level as u8))
}

fn titled(lines: &Lines<'_>, line: usize, level: u8) -> Heading {
    let text = lines.text(line);
    let title =
        text.trim().trim_start_matches(['#', '=']).trim().trim_end_matches(['#', '=']).trim();
    let title: String = title.chars().filter(|c| !matches!(c, '`' | '*')).take(120).collect();
    Heading { level, line, at: lines.start(line), title }
}

struct Draft {
    interner: Interner,
    symbols: Vec<SymbolRow>,
    refs: Vec<RefRow>,
    seen: FxHashMap<(u32, u32, u32), u32>,
}

fn file_row(text: &str) -> SymbolRow {
    SymbolRow {
        kind: SymbolKind::File as u8,
        parent: NONE,
        end: text.len() as u32,
        start_line: 1,
        name_line: 1,
        ..SymbolRow::default()
    }
}

impl Draft {
    fn sections(&mut self, text: &str, lines: &Lines<'_>, headings: &[Heading]) {
        let mut open: Vec<(u8, u32)> = vec![(0, FILE_SYMBOL)];
        for (number, heading) in headings.iter().enumerate() {
            while open.len() > 1 && open.last().is_some_and(|&(level, _)| level >= heading.level) {
                open.pop();
            }
            let parent = open.last().map_or(FILE_SYMBOL, |&(_, symbol)| symbol);
            let next = headings[number + 1..].iter().find(|other| other.level <= heading.level);
            let end = next.map_or(text.len(), |other| lines.start(other.line));
            let end_line = next.map_or(lines.lines.len(), |other| other.line).max(heading.line + 1);
            let outer = self.interner.table.get(self.symbols[parent as usize].qualified).to_owned();
            let qualified = if outer.is_empty() {
                heading.title.clone()
            } else {
                format!("{outer}.{}", heading.title)
            };
            let body = lines.start(heading.line + 1);
            let row = SymbolRow {
                name: self.interner.intern(&heading.title),
                qualified: self.interner.intern(&qualified),
                parent,
                start: heading.at as u32,
                end: end as u32,
                doc_start: heading.at as u32,
                body_start: body.min(end) as u32,
                name_start: heading.at as u32,
                start_line: heading.line as u32 + 1,
                end_line: end_line as u32,
                name_line: heading.line as u32 + 1,
                kind: SymbolKind::Section as u8,
                visibility: Visibility::Public as u8,
                ..SymbolRow::default()
            };
            open.push((heading.level, self.symbols.len() as u32));
            self.symbols.push(row);
        }
    }

    /// Names in code form, each once a section.
    fn mentions(&mut self, prose: &Prose, lines: &Lines<'_>, fenced: &[bool]) {
        let mut owner = FILE_SYMBOL;
        for (number, &(start, line)) in lines.lines.iter().enumerate() {
            while self
                .symbols
                .get(owner as usize + 1)
                .is_some_and(|next| next.start as usize <= start)
            {
                owner += 1;
            }
            if fenced[number] {
                self.code_line(owner, line, start, number);
            } else {
                self.spans(prose, owner, line, start, number);
            }
        }
    }

    fn spans(&mut self, prose: &Prose, owner: u32, line: &str, start: usize, number: usize) {
        let mut rest = line;
        while let Some(open) = memchr::memchr(b'`', rest.as_bytes()) {
            let after = rest[open..].trim_start_matches('`');
            let Some(close) = memchr::memchr(b'`', after.as_bytes()) else { return };
            let code = &after[..close];
            // A role's target may stand behind its text: :meth:`text <target>`; `~` shortens it.
            let code = match prose {
                Prose::Rst => code
                    .rsplit_once('<')
                    .map_or(code, |(_, target)| target.trim_end_matches('>'))
                    .trim_start_matches(['~', '.', '!']),
                _ => code,
            };
            let at = start + (after.as_ptr() as usize - line.as_ptr() as usize);
            if !code.contains(char::is_whitespace) || code.contains('(') {
                self.mention(owner, code.split(['(', ' ']).next().unwrap_or(code), at, number);
            }
            rest = after[close..].trim_start_matches('`');
        }
    }

    /// In code, names that are called, qualified, or written like code.
    fn code_line(&mut self, owner: u32, line: &str, start: usize, number: usize) {
        for word in code_words(line) {
            let at = word.as_ptr() as usize - line.as_ptr() as usize;
            if line.as_bytes().get(at + word.len()) == Some(&b'(') || is_written_like_code(word) {
                self.mention(owner, word, start + at, number);
            }
        }
    }

    fn mention(&mut self, owner: u32, code: &str, at: usize, line: usize) {
        let path = names::path_in(code);
        let (qualifier, name) = names::split_last(&path);
        if name.len() < 3 || !crate::walk::is_name(name) || path.len() > 120 {
            return;
        }
        let (name, qualifier) = (self.interner.intern(name), self.interner.intern(qualifier));
        if let Some(&row) = self.seen.get(&(owner, name.0, qualifier.0)) {
            let row = &mut self.refs[row as usize];
            row.count = row.count.saturating_add(1);
            return;
        }
        self.seen.insert((owner, name.0, qualifier.0), self.refs.len() as u32);
        self.refs.push(RefRow {
            owner,
            name,
            qualifier,
            line: line as u32 + 1,
            start: at as u32,
            kind: RefKind::Name as u8,
            arguments: 255,
            count: 1,
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn words_are_what_a_look_at_each_character_finds(line in "([a-cA_.:( \u{e9}\u{2014}\u{4e2d}]|[a-z]{3}){0,24}") {
            let plain: Vec<&str> = line.split(|c: char| !(c.is_alphanumeric() || matches!(c, '_' | '.' | ':'))).filter(|word| word.len() > 2).collect();
            prop_assert_eq!(code_words(&line).collect::<Vec<_>>(), plain);
        }

        #[test]
        fn lines_are_what_a_look_at_each_character_finds(text in "[ab\r\n\u{e9}]{0,30}") {
            let mut start = 0;
            let plain: Vec<(usize, &str)> = text.split_inclusive('\n').map(|line| {
                start += line.len();
                (start - line.len(), line.trim_end_matches(['\n', '\r']))
            }).collect();
            prop_assert_eq!(Lines::of(&text).lines, plain);
        }
    }
}
