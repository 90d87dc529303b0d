//! Code of strangers reaches terminals: what could steer one is written out.

use std::borrow::Cow;

/// Returns the text with control and bidirectional characters escaped; line ends and tabs stay.
pub fn safe(text: &str) -> Cow<'_, str> {
    let plain = |byte: u8| (0x20..0x7f).contains(&byte) || byte == b'\n' || byte == b'\t';
    // Most code is plain ASCII, and bytes are looked at faster than letters.
    if text.bytes().all(plain) || !text.chars().any(steers) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 16);
    let mut letters = text.chars().peekable();
    while let Some(letter) = letters.next() {
        match letter {
            // A line end of other systems is a line end.
            '\r' if letters.peek() == Some(&'\n') => {}
            letter if steers(letter) => out.push_str(&letter.escape_unicode().to_string()),
            letter => out.push(letter),
        }
    }
    Cow::Owned(out)
}

fn steers(letter: char) -> bool {
    let bidi = matches!(letter, '\u{061c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{feff}');
    bidi || letter.is_control() && letter != '\n' && letter != '\t'
}

#[cfg(test)]
mod tests {
    use super::safe;

    #[test]
    fn escapes_are_written_out() {
        for (text, expected) in [
            ("a\tb\n", "a\tb\n"),
            ("\u{1b}[31m", "\\u{1b}[31m"),
            ("a\u{202e}b", "a\\u{202e}b"),
            ("x\r\ny", "x\ny"),
            ("x\ry", "x\\u{d}y"),
        ] {
            assert_eq!(safe(text), expected);
        }
    }
}
