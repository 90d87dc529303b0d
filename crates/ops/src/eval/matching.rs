//! When a found symbol counts as one that was wanted, by the published rule of the public symbol benchmark.
//!
//! The rule is reproduced with its quirks, because figures are only comparable under the same rule: a
//! class matches its methods, and two names with the same last part match when one of them is bare.

/// Endings of files that the rule knows.
const EXTENSIONS: [&str; 10] =
    [".go", ".py", ".ts", ".tsx", ".js", ".jsx", ".rs", ".java", ".cs", ".rb"];
/// Words in front of a declaration.
const DECLARATIONS: [&str; 8] =
    ["func ", "type ", "var ", "const ", "def ", "class ", "interface ", "struct "];

/// Returns the form of a symbol that is compared: file paths, addresses and module prefixes go.
pub fn normalize(raw: &str) -> String {
    let text = raw.trim().trim_end_matches('.').trim_end_matches('(');
    let parts: Vec<&str> = text.splitn(3, ':').collect();
    if let [file, _, body] = parts[..]
        && is_file(file)
    {
        return declared(body.trim()).to_owned();
    }
    if let Some((file, rest)) = text.split_once(':').filter(|(file, _)| is_file(file)) {
        debug_assert!(is_file(file));
        let is_line = !rest.is_empty() && rest.bytes().all(|byte| byte.is_ascii_digit());
        return if is_line { String::new() } else { rest.trim().to_owned() };
    }
    let text = text.split_once("://").map_or(text, |(_, rest)| rest);
    let text = without_repository(without_path(text));
    text.rsplit('/').next().unwrap_or(&text).to_owned()
}

fn is_file(text: &str) -> bool {
    EXTENSIONS.iter().any(|extension| text.ends_with(extension))
}

fn declared(body: &str) -> &str {
    let body = DECLARATIONS.iter().find_map(|word| body.strip_prefix(word)).unwrap_or(body);
    match body.find(['(', ' ', '{', '[', '<']) {
        Some(end) if end > 0 => &body[..end],
        _ => body,
    }
}

fn without_path(text: &str) -> String {
    for extension in EXTENSIONS {
        if let Some(at) = text.rfind(&format!("{extension}.")) {
            return text[at + extension.len() + 1..].to_owned();
        }
    }
    if let Some((_, tail)) = text.rsplit_once('/') {
        return tail.split_once('.').map_or(tail, |(_, rest)| rest).to_owned();
    }
    let parts: Vec<&str> = text.split('.').collect();
    match parts.iter().position(|part| part.starts_with(|c: char| c.is_ascii_uppercase())) {
        Some(first) => parts[first..].join("."),
        None => parts.last().copied().unwrap_or_default().to_owned(),
    }
}

fn without_repository(text: String) -> String {
    let text = text.split_once("://").map_or(text.as_str(), |(_, rest)| rest);
    let parts: Vec<&str> = text.split('/').collect();
    if parts.len() >= 3
        && parts[0].contains('.')
        && !parts[0].contains(|c: char| c.is_ascii_uppercase())
    {
        parts[3..].join("/")
    } else {
        text.to_owned()
    }
}

/// True when two normalised symbols count as the same under the published rule.
pub fn matches(found: &str, wanted: &str) -> bool {
    if found.is_empty() || wanted.is_empty() {
        return false;
    }
    let (lower, wanted_lower) = (found.to_lowercase(), wanted.to_lowercase());
    if lower == wanted_lower
        || ends_with_part(&lower, &wanted_lower)
        || ends_with_part(&wanted_lower, &lower)
    {
        return true;
    }
    let (last, wanted_last) = (last_part(&lower), last_part(&wanted_lower));
    if !last.is_empty() && last == wanted_last {
        if !found.contains('.') || !wanted.contains('.') {
            return true;
        }
        let qualifiers = |text: &str| text.split('.').map(str::to_owned).collect::<Vec<_>>();
        let (own, other) = (qualifiers(&lower), qualifiers(&wanted_lower));
        if own[..own.len() - 1].iter().any(|part| other[..other.len() - 1].contains(part)) {
            return true;
        }
    }
    is_run_of(found, wanted) || is_run_of(wanted, found)
}

/// True when two normalised symbols are the same name, one perhaps with more qualifiers in front.
pub fn same_name(found: &str, wanted: &str) -> bool {
    let plain = |text: &str| text.to_lowercase().replace("::", ".");
    let (found, wanted) = (plain(found), plain(wanted));
    !found.is_empty()
        && !wanted.is_empty()
        && (found == wanted || ends_with_part(&found, &wanted) || ends_with_part(&wanted, &found))
}

fn ends_with_part(text: &str, part: &str) -> bool {
    text.strip_suffix(part).is_some_and(|before| before.ends_with('.'))
}

fn last_part(text: &str) -> &str {
    text.rsplit('.').next().unwrap_or(text)
}

/// True when `inner` is a whole run of parts of `outer`; only its first occurrence is looked at.
fn is_run_of(outer: &str, inner: &str) -> bool {
    let (outer, inner) = (outer.replace("::", "."), inner.replace("::", "."));
    let Some(at) = outer.find(&inner) else { return false };
    let end = at + inner.len();
    (at == 0 || outer.as_bytes()[at - 1] == b'.')
        && (end == outer.len() || outer.as_bytes()[end] == b'.')
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn symbols_lose_what_is_not_their_name() {
        for (raw, expected) in [
            (" Cart.total( ", "Cart.total"),
            ("shop/cart.py:12:def total(self)", "total"),
            ("shop/cart.py:12", ""),
            ("shop/cart.py:Cart.total", "Cart.total"),
            ("https://host.example/a/b/shop/cart.py.Cart.total", "Cart.total"),
            ("host.example/owner/name/pkg.Cart.Total", "Cart.Total"),
            ("shop.cart.Cart.total", "Cart.total"),
            ("shop.cart.total", "total"),
            ("lib/cart.rb:Shop::Cart", ":Cart"),
            ("", ""),
        ] {
            assert_eq!(normalize(raw), expected, "{raw}");
        }
    }

    #[test]
    fn a_class_matches_its_methods_but_is_not_the_same_name() {
        for (found, wanted, published, strict) in [
            ("Cart", "Cart.total", true, false),
            ("Cart.total", "total", true, true),
            ("shop.Cart.total", "Cart.total", true, true),
            ("Cart.total", "Order.total", false, false),
            ("a.Cart.total", "a.Order.total", true, false),
            ("Shop::Cart", "Cart", true, true),
            ("cart", "Cart", true, true),
            ("Cartridge", "Cart", false, false),
            ("", "Cart", false, false),
        ] {
            assert_eq!(
                (matches(found, wanted), same_name(found, wanted)),
                (published, strict),
                "{found} {wanted}"
            );
        }
    }

    proptest! {
        #[test]
        fn matching_is_symmetric_and_reflexive(one in "[A-Za-z.:/]{0,12}", two in "[A-Za-z.:/]{0,12}") {
            let (one, two) = (normalize(&one), normalize(&two));
            prop_assert_eq!(matches(&one, &two), matches(&two, &one));
            prop_assert_eq!(same_name(&one, &two), same_name(&two, &one));
            prop_assert!(one.is_empty() || matches(&one, &one));
            prop_assert!(!same_name(&one, &two) || matches(&one.replace("::", "."), &two.replace("::", ".")));
        }
    }
}
