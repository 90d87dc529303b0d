//! Laws of scrubbing: idempotent, as many lines as before, never a panic, ranges of the original.

use proptest::prelude::*;

use super::{MARK, Scrubber};

/// Pieces that rules react to, so that random texts reach their code.
const PIECES: &[&str] = &[
    "password",
    "token",
    "secret",
    "api_key",
    "PASS",
    " = ",
    "=",
    ": ",
    ":",
    "\"",
    "'",
    "`",
    "\\\"",
    "\\",
    "\n",
    "\r\n",
    " ",
    "(",
    ")",
    ",",
    ">",
    "<",
    "</",
    "--",
    "-----BEGIN",
    " RSA PRIVATE KEY-----",
    "-----END RSA PRIVATE KEY-----",
    "://",
    "@",
    "user",
    "eyJ",
    ".",
    "ghp_",
    "sk-",
    "AKIA",
    "Bearer ",
    "Basic ",
    "curl ",
    " -u ",
    "YWRhOmh1bnRlcjIx",
    "k3Jd83kdPq91Lm2Zx8Qw7Er6Ty5Ui4Op3As2Df1",
    "0123456789abcdef",
    "7f3a9c1e5b8d2046",
    "é",
    "💣",
    "ß",
    "[REDACTED]",
    "machine ",
    "ENV ",
    "Private-Lines: ",
    "$2y$",
    "pat",
    "&",
    "?",
    "value=",
    "String::from(",
];

fn text() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        6 => prop::sample::select(PIECES).prop_map(String::from),
        1 => "[ -~]{0,12}",
        1 => any::<String>(),
    ];
    prop::collection::vec(piece, 0..40).prop_map(|pieces| pieces.concat())
}

fn path() -> impl Strategy<Value = &'static str> {
    prop::sample::select(vec!["a.py", ".env", "c.yml", ".netrc", "", "k.pem"])
}

fn check(scrubber: &Scrubber, text: &str, path: &str) {
    let once = scrubber.scrub(text, path);
    assert_eq!(once.text.matches('\n').count(), text.matches('\n').count(), "lines of {text:?}");
    let twice = scrubber.scrub(&once.text, path);
    assert_eq!(twice.text, once.text, "not idempotent on {text:?}");
    let mut last_end = 0;
    for redaction in &once.redactions {
        assert!(
            last_end <= redaction.start
                && redaction.start < redaction.end
                && text.is_char_boundary(redaction.end)
        );
        assert_eq!(redaction.line as usize, 1 + text[..redaction.start].matches('\n').count());
        last_end = redaction.end;
    }
    assert_eq!(once.redactions.is_empty(), once.text == text);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1500))]

    #[test]
    fn built_in_rules_keep_the_laws(text in text(), path in path()) {
        check(&Scrubber::new(&[], true).0, &text, path);
    }

    #[test]
    fn user_patterns_keep_the_laws(
        text in text(),
        pattern in prop::sample::select(vec![r"\w+", r"(?s).+", r"key(.{3})", r"\s+", r"(?P<secret>[a-z]{4})\d", "", r"token\W*(\w+)?"]),
    ) {
        check(&Scrubber::new(&[pattern.to_string()], true).0, &text, "a.py");
    }

    #[test]
    fn a_secret_between_random_texts_is_gone(before in "[ -~\n]{0,80}", after in "[ -~\n]{0,80}") {
        let secret = format!("gh{}", "p_k3Jd83kdPq91Lm2Zx8Qw7Er6Ty5Ui4Op3As2");
        let text = format!("{before}\n{secret}\n{after}");
        let (scrubber, _) = Scrubber::new(&[], true);
        prop_assert!(!scrubber.scrub(&text, "a.py").text.contains(&secret));
    }
}

#[test]
fn nothing_is_redacted_when_switched_off() {
    let (scrubber, _) = Scrubber::new(&[r"\w+".into()], false);
    assert_eq!(scrubber.scrub("anything at all", "a.py").text, "anything at all");
}

#[test]
fn a_user_pattern_redacts_its_group() {
    let (scrubber, problems) = Scrubber::new(&[r"acme-(\d{4})".into(), "(".into()], true);
    let scrubbed = scrubber.scrub("x\nid acme-1234", "a.py");
    assert_eq!(scrubbed.text, format!("x\nid acme-{MARK}"));
    assert_eq!((scrubbed.redactions[0].rule.as_ref(), scrubbed.redactions[0].line), ("user-1", 2));
    assert_eq!(problems.len(), 1);
    assert_eq!(problems[0].code, "CTX_E_SECRET_PATTERN");
}

#[test]
fn one_long_line_takes_little_time() {
    let text = "token=\"abc\" pass: curl -u password= ".repeat(20_000);
    let (scrubber, _) = Scrubber::new(&[], true);
    let started = std::time::Instant::now();
    assert!(scrubber.scrub(&text, ".env").redactions.is_empty());
    assert!(started.elapsed().as_secs() < 20, "took {:?}", started.elapsed());
}
