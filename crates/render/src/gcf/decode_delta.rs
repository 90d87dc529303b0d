//! Reading a difference.

use super::decode::{DecodeError, Header, id, node};
use super::delta::Delta;

const SECTIONS: &[&str] = &["removed", "added", "edges_removed", "edges_added"];

/// Reads the body of a difference.
pub(super) fn read(header: &Header<'_>, body: &[&str]) -> Result<Delta, DecodeError> {
    let bad = |line: usize, message: &str| DecodeError { line, message: message.to_owned() };
    let root = |key: &str| {
        header.text(key).map(str::to_owned).ok_or_else(|| bad(1, "a difference names both roots"))
    };
    let mut delta =
        Delta { base_root: root("base_root")?, new_root: root("new_root")?, ..Delta::default() };
    if header.number("tokens")?.is_none()
        || !header.text("savings").is_some_and(|savings| savings.ends_with('%'))
    {
        return Err(bad(1, "a difference says its tokens and savings"));
    }
    let mut section = None;
    for (at, line) in body.iter().enumerate() {
        let number = at + 2;
        if let Some(name) = line.strip_prefix("## ") {
            let next = SECTIONS
                .iter()
                .position(|section| *section == name)
                .ok_or_else(|| bad(number, "the heading is unknown"))?;
            if section.is_some_and(|section| section >= next) {
                return Err(bad(number, "a heading stands twice or out of order"));
            }
            section = Some(next);
            continue;
        }
        let fields: Vec<&str> = line.split(' ').collect();
        match (section, fields.as_slice()) {
            (Some(0), [kind, qname]) => {
                delta.removed.push(((*kind).to_owned(), (*qname).to_owned()))
            }
            (Some(1), [own, kind, qname, score, provenance, distance]) => {
                if id(number, own)? as usize != delta.added.len() {
                    return Err(bad(number, "ids count from 0"));
                }
                let distance =
                    distance.parse().map_err(|_| bad(number, "the distance is no number"))?;
                delta.added.push(node(number, &[kind, qname, score, provenance], distance)?);
            }
            (Some(2), [source, "->", target, kind]) => delta.edges_removed.push((
                (*source).to_owned(),
                (*target).to_owned(),
                (*kind).to_owned(),
            )),
            (Some(3), [source, "->", target, kind]) => delta.edges_added.push((
                (*source).to_owned(),
                (*target).to_owned(),
                (*kind).to_owned(),
            )),
            _ => return Err(bad(number, "the line does not fit its heading")),
        }
    }
    Ok(delta)
}
