//! Parts of a declaration: words, macros and bracketed groups.

use super::tokens::{Kind, Token};

/// Angle brackets are looked for this far: what is longer is no list of type arguments.
const MAX_ANGLES: usize = 500;

/// One part of a declaration: a word, a bracketed group or anything else.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Part {
    Word,
    /// A word in capitals, which may be a macro.
    Macro,
    Group,
    Angles,
    Punct(u8),
    Literal,
}

/// A part with its first and last token.
#[derive(Clone, Copy, Debug)]
pub struct Item {
    pub part: Part,
    pub first: usize,
    pub last: usize,
}

/// Tokens with their text and the partners of their brackets.
pub struct Parts<'a> {
    pub tokens: &'a [Token],
    text: &'a str,
    partners: Vec<u32>,
}

impl<'a> Parts<'a> {
    pub fn new(text: &'a str, tokens: &'a [Token]) -> Self {
        Self { tokens, text, partners: partners(tokens) }
    }

    pub fn word(&self, token: usize) -> &'a str {
        self.tokens.get(token).and_then(|token| self.text.get(token.start..token.end)).unwrap_or("")
    }

    /// Returns the text between two tokens.
    pub fn gap(&self, before: usize, after: usize) -> &'a str {
        self.text.get(self.tokens[before].end..self.tokens[after].start).unwrap_or("")
    }

    pub fn is_macro(&self, token: usize) -> bool {
        let word = self.word(token);
        word.len() >= 3
            && word
                .bytes()
                .all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'_')
            && word.bytes().filter(u8::is_ascii_uppercase).count() >= 2
    }

    /// Returns the index of the bracket that closes the one at `open`.
    pub fn matching(&self, open: usize) -> Option<usize> {
        self.partners.get(open).map(|&close| close as usize).filter(|&close| close != 0)
    }

    /// Groups the tokens of a head; those in brackets are one item.
    pub fn items(&self, head: &[usize]) -> Vec<Item> {
        let mut items: Vec<Item> = Vec::new();
        let mut at = 0;
        while at < head.len() {
            let first = head[at];
            let (part, end) = self.part(head, at, items.last());
            items.push(Item { part, first, last: head[end] });
            at = end + 1;
        }
        items
    }

    fn part(&self, head: &[usize], at: usize, before: Option<&Item>) -> (Part, usize) {
        let first = head[at];
        match self.tokens[first].kind {
            Kind::Word if self.is_macro(first) => (Part::Macro, at),
            Kind::Word => (Part::Word, at),
            Kind::Punct(b'(') => {
                // A head holds the tokens of a group without a gap.
                let end = self.matching(first).map_or(at, |close| at + close - first);
                (Part::Group, if end < head.len() { end } else { at })
            }
            Kind::Punct(b'<')
                if before.is_some_and(|item| matches!(item.part, Part::Word | Part::Macro)) =>
            {
                match self.angle_end(head, at) {
                    Some(end) => (Part::Angles, end),
                    None => (Part::Punct(b'<'), at),
                }
            }
            Kind::Punct(byte) => (Part::Punct(byte), at),
            _ => (Part::Literal, at),
        }
    }

    fn angle_end(&self, head: &[usize], open: usize) -> Option<usize> {
        let mut depth = 0i32;
        for (index, &token) in head.iter().enumerate().skip(open).take(MAX_ANGLES) {
            match self.tokens[token].kind {
                Kind::Punct(b'<') => depth += 1,
                // `->` closes nothing.
                Kind::Punct(b'>')
                    if self.tokens[token - 1].kind == Kind::Punct(b'-')
                        && self.tokens[token - 1].end == self.tokens[token].start => {}
                Kind::Punct(b'>') => {
                    depth -= 1;
                    if depth == 0 {
                        return Some(index);
                    }
                }
                _ => {}
            }
        }
        None
    }
}

/// Returns for every opening bracket the index of the closing one, 0 where there is none. Round
/// and curly brackets are paired apart: broken code often has too many of one.
fn partners(tokens: &[Token]) -> Vec<u32> {
    let mut partners = vec![0; tokens.len()];
    let (mut round, mut curly) = (Vec::new(), Vec::new());
    for (index, token) in tokens.iter().enumerate() {
        let opened: Option<usize> = match token.kind {
            Kind::Punct(b'(') => {
                round.push(index);
                None
            }
            Kind::Punct(b'{') => {
                curly.push(index);
                None
            }
            Kind::Punct(b')') => round.pop(),
            Kind::Punct(b'}') => curly.pop(),
            _ => None,
        };
        if let Some(open) = opened {
            partners[open] = index as u32;
        }
    }
    partners
}

/// Returns the index of the last item of a macro: its arguments, or itself.
pub fn unit_end(items: &[Item], at: usize) -> usize {
    at + usize::from(items.get(at + 1).is_some_and(|next| next.part == Part::Group))
}
