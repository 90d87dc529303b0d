//! Decoding of base64, enough to look inside a header.

use super::url::is_credential;

/// Returns the decoded bytes, or nothing when `text` is not base64.
pub(super) fn decode(text: &str) -> Option<Vec<u8>> {
    let digits = text.trim_end_matches('=').as_bytes();
    if digits.len() % 4 == 1 {
        return None;
    }
    let mut bytes = Vec::with_capacity(digits.len() * 3 / 4);
    for group in digits.chunks(4) {
        let mut bits = 0u32;
        for &digit in group {
            bits = bits << 6 | u32::from(digit_value(digit)?);
        }
        bits <<= 6 * (4 - group.len());
        bytes.extend_from_slice(&bits.to_be_bytes()[1..group.len()]);
    }
    Some(bytes)
}

/// Tells whether `text` is base64 of printable `user:password`, the password no stand-in.
pub(super) fn is_credential_pair(text: &str) -> bool {
    let Some(bytes) = decode(text) else {
        return false;
    };
    let Ok(pair) = std::str::from_utf8(&bytes) else {
        return false;
    };
    let printable = !pair.chars().any(char::is_control);
    printable && pair.split_once(':').is_some_and(|(user, password)| is_credential(user, password))
}

fn digit_value(digit: u8) -> Option<u8> {
    match digit {
        b'A'..=b'Z' => Some(digit - b'A'),
        b'a'..=b'z' => Some(digit - b'a' + 26),
        b'0'..=b'9' => Some(digit - b'0' + 52),
        b'+' | b'-' => Some(62),
        b'/' | b'_' => Some(63),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decodes_all_lengths() {
        for (encoded, plain) in
            [("", ""), ("YQ==", "a"), ("YWI=", "ab"), ("YWJj", "abc"), ("YWJjZA", "abcd")]
        {
            assert_eq!(decode(encoded).as_deref(), Some(plain.as_bytes()), "{encoded}");
        }
        assert_eq!(decode("a"), None);
        assert_eq!(decode("a b c"), None);
    }

    #[test]
    fn a_pair_has_a_colon_and_a_password() {
        assert!(is_credential_pair("YWRhOmh1bnRlcjI="));
        assert!(!is_credential_pair("authentication"));
        assert!(!is_credential_pair("dXNlcg=="));
    }
}
