//! Sets of bytes that keys are made of.

pub(super) type Charset = fn(u8) -> bool;

/// `0-9a-f`
pub(super) fn hex(byte: u8) -> bool {
    matches!(byte, b'0'..=b'9' | b'a'..=b'f')
}

/// `0-9A-Za-z`
pub(super) fn alnum(byte: u8) -> bool {
    byte.is_ascii_alphanumeric()
}

/// `0-9A-Z`
pub(super) fn upper(byte: u8) -> bool {
    matches!(byte, b'0'..=b'9' | b'A'..=b'Z')
}

/// `0-9a-z`
pub(super) fn lower(byte: u8) -> bool {
    matches!(byte, b'0'..=b'9' | b'a'..=b'z')
}

/// `0-9A-Za-z_`
pub(super) fn word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

/// `0-9A-Za-z_-`, the alphabet of URL-safe base64.
pub(super) fn url(byte: u8) -> bool {
    word(byte) || byte == b'-'
}

/// `0-9A-Za-z_-.`, several such parts.
pub(super) fn dotted(byte: u8) -> bool {
    url(byte) || byte == b'.'
}

/// `0-9A-Za-z+/=`, the alphabet of base64.
pub(super) fn base64(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'=')
}

/// Either alphabet of base64.
pub(super) fn any64(byte: u8) -> bool {
    base64(byte) || url(byte)
}
