//! `#if` groups: which branches the parser may see side by side.
//!
//! A grammar reads text, not translation units: `#if` around half a statement breaks it. Directives
//! are blanked, and of branches that do not stand by themselves only the first is left.

use super::tokens::{Kind, Token};

/// Decides for every token whether it stays, and returns the byte ranges to blank.
pub fn conditionals(text: &str, tokens: &mut Vec<Token>) -> Vec<(usize, usize)> {
    let mut resolver =
        Resolver { text, tokens, removed: vec![false; tokens.len()], blanks: Vec::new() };
    let mut open: Vec<Vec<usize>> = Vec::new();
    for (index, token) in
        tokens.iter().enumerate().filter(|(_, token)| token.kind == Kind::Directive)
    {
        match directive(text, token) {
            "if" | "ifdef" | "ifndef" => open.push(vec![index]),
            "elif" | "else" | "elifdef" | "elifndef" => {
                if let Some(group) = open.last_mut() {
                    group.push(index);
                }
            }
            "endif" => {
                if let Some(mut group) = open.pop() {
                    group.push(index);
                    resolver.resolve(&group);
                }
            }
            "define" => {
                resolver.definition(index);
                continue;
            }
            "include" | "import" | "include_next" => continue,
            _ => {}
        }
        resolver.blank(index);
    }
    let Resolver { removed, blanks, .. } = resolver;
    let mut flags = removed.into_iter();
    tokens.retain(|_| !flags.next().unwrap_or(false));
    blanks
}

fn directive<'t>(text: &'t str, token: &Token) -> &'t str {
    let rest = text.get(token.start + 1..token.end).unwrap_or("").trim_start_matches([' ', '\t']);
    &rest[..rest.find(|c: char| !c.is_ascii_alphabetic() && c != '_').unwrap_or(rest.len())]
}

struct Resolver<'a> {
    text: &'a str,
    tokens: &'a [Token],
    removed: Vec<bool>,
    blanks: Vec<(usize, usize)>,
}

impl Resolver<'_> {
    fn blank(&mut self, index: usize) {
        self.removed[index] = true;
        self.blanks.push((self.tokens[index].start, self.tokens[index].end));
    }

    /// Comments inside a definition, and a backslash with nothing after it, would end it too early
    /// or too late.
    fn definition(&mut self, index: usize) {
        let token = self.tokens[index];
        let text = self.text.get(token.start..token.end).unwrap_or("");
        let mut from = 0;
        while let Some(open) = text[from..].find("/*").map(|at| from + at) {
            let close = text[open + 2..].find("*/").map_or(text.len(), |at| open + 2 + at + 2);
            self.blanks.push((token.start + open, token.start + close));
            from = close;
        }
        let trimmed = text.trim_end();
        if trimmed.ends_with('\\') && trimmed.len() < text.len() {
            self.blanks.push((token.start + trimmed.len() - 1, token.start + trimmed.len()));
        }
    }

    /// `group` holds the directives of one conditional, `#if` to `#endif`.
    fn resolve(&mut self, group: &[usize]) {
        let mut branches: Vec<(usize, usize)> =
            group.windows(2).map(|pair| (pair[0], pair[1])).collect();
        if self.is_never(group[0]) {
            self.remove(branches.remove(0));
        }
        branches.retain(|&branch| self.last_token(branch).is_some());
        let Some((&first, others)) = branches.split_first() else { return };
        if others.is_empty() {
            return;
        }
        let stands = self.stands_alone(first);
        for &branch in others {
            if !stands || !self.stands_alone(branch) {
                self.remove(branch);
            }
        }
    }

    fn is_never(&self, index: usize) -> bool {
        let token = &self.tokens[index];
        let words: Vec<&str> = self
            .text
            .get(token.start + 1..token.end)
            .unwrap_or("")
            .split_whitespace()
            .take(2)
            .collect();
        words == ["if", "0"]
    }

    fn remove(&mut self, (from, to): (usize, usize)) {
        self.removed[from + 1..to].fill(true);
        self.blanks.push((self.tokens[from].end, self.tokens[to].start));
    }

    fn last_token(&self, (from, to): (usize, usize)) -> Option<usize> {
        (from + 1..to).rev().find(|&index| !self.removed[index])
    }

    /// True when brackets are even and the branch ends where a statement or an item of a list does.
    fn stands_alone(&self, branch: (usize, usize)) -> bool {
        let mut depth = 0i32;
        for index in branch.0 + 1..branch.1 {
            if self.removed[index] {
                continue;
            }
            match self.tokens[index].kind {
                Kind::Punct(b'{' | b'(' | b'[') => depth += 1,
                Kind::Punct(b'}' | b')' | b']') => depth -= 1,
                _ => {}
            }
            if depth < 0 {
                return false;
            }
        }
        let ends = self.last_token(branch).is_none_or(|last| {
            matches!(
                self.tokens[last].kind,
                Kind::Directive | Kind::Punct(b';' | b'}' | b',' | b':')
            )
        });
        depth == 0 && ends
    }
}
