//! Tokens of C and C++ as far as masking needs them: words, punctuation, literals, directives.

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    Word,
    Punct(u8),
    Literal,
    /// A whole preprocessor line with its continuations.
    Directive,
}

#[derive(Clone, Copy, Debug)]
pub struct Token {
    pub kind: Kind,
    pub start: usize,
    pub end: usize,
}

/// Splits `text` into tokens; comments and white space are none.
pub fn tokens(text: &str) -> Vec<Token> {
    let bytes = text.as_bytes();
    let mut out = Vec::with_capacity(bytes.len() / 5);
    let mut at = 0;
    let mut line_start = true;
    while at < bytes.len() {
        let start = at;
        let kind = match bytes[at] {
            b'\n' => {
                line_start = true;
                at += 1;
                continue;
            }
            byte if byte.is_ascii_whitespace() => {
                at += 1;
                continue;
            }
            b'/' if matches!(bytes.get(at + 1), Some(b'/' | b'*')) => {
                at = comment_end(bytes, at);
                continue;
            }
            b'#' if line_start => {
                at = directive_end(bytes, at);
                Kind::Directive
            }
            b'"' => {
                at = string_end(bytes, at, out.last());
                Kind::Literal
            }
            b'\'' => {
                at = quoted_end(bytes, at, b'\'');
                Kind::Literal
            }
            byte if byte.is_ascii_digit() => {
                at = number_end(bytes, at);
                Kind::Literal
            }
            byte if is_word(byte) => {
                at = word_end(bytes, at);
                Kind::Word
            }
            byte => {
                at += 1;
                Kind::Punct(byte)
            }
        };
        line_start = false;
        out.push(Token { kind, start, end: at });
    }
    out
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'$' || byte >= 0x80
}

fn word_end(bytes: &[u8], start: usize) -> usize {
    start + bytes[start..].iter().take_while(|&&byte| is_word(byte)).count()
}

fn number_end(bytes: &[u8], start: usize) -> usize {
    let mut at = start;
    while let Some(&byte) = bytes.get(at) {
        let separator = byte == b'\'' && bytes.get(at + 1).is_some_and(u8::is_ascii_alphanumeric);
        if !is_word(byte) && byte != b'.' && !separator {
            break;
        }
        at += 1;
    }
    at
}

fn comment_end(bytes: &[u8], start: usize) -> usize {
    if bytes[start + 1] == b'/' {
        return start + bytes[start..].iter().take_while(|&&byte| byte != b'\n').count();
    }
    bytes[start + 2..]
        .windows(2)
        .position(|pair| pair == b"*/")
        .map_or(bytes.len(), |at| start + 2 + at + 2)
}

/// A directive ends with its line, unless a backslash or a comment carries it on.
fn directive_end(bytes: &[u8], start: usize) -> usize {
    let mut at = start;
    while at < bytes.len() && bytes[at] != b'\n' {
        at = match (bytes[at], bytes.get(at + 1)) {
            (b'\\', Some(b'\n')) => at + 2,
            (b'\\', Some(b'\r')) if bytes.get(at + 2) == Some(&b'\n') => at + 3,
            (b'/', Some(b'*')) => comment_end(bytes, at),
            (b'/', Some(b'/')) => return comment_end(bytes, at),
            (b'"', _) => quoted_end(bytes, at, b'"'),
            _ => at + 1,
        };
    }
    at
}

fn quoted_end(bytes: &[u8], start: usize, quote: u8) -> usize {
    let mut at = start + 1;
    while at < bytes.len() && bytes[at] != b'\n' {
        match bytes[at] {
            b'\\' if bytes.get(at + 1) == Some(&b'\n') => at += 2,
            b'\\' => at += 1 + usize::from(bytes.get(at + 1).is_some_and(|&next| next != b'\n')),
            byte if byte == quote => return at + 1,
            _ => at += 1,
        }
    }
    at.min(bytes.len())
}

/// `R"x( … )x"` holds anything; every other string ends at its quote or line.
fn string_end(bytes: &[u8], start: usize, before: Option<&Token>) -> usize {
    let is_raw = before.is_some_and(|token| {
        token.end == start
            && token.kind == Kind::Word
            && matches!(&bytes[token.start..token.end], b"R" | b"LR" | b"uR" | b"UR" | b"u8R")
    });
    let open = bytes[start..].iter().take(18).position(|&byte| byte == b'(').filter(|_| is_raw);
    let Some(open) = open else { return quoted_end(bytes, start, b'"') };
    let mut close = vec![b')'];
    close.extend_from_slice(&bytes[start + 1..start + open]);
    close.push(b'"');
    let inside = start + open + 1;
    bytes[inside..]
        .windows(close.len())
        .position(|window| window == close)
        .map_or(bytes.len(), |at| inside + at + close.len())
}
