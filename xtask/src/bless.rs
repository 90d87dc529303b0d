//! Writes the golden packs anew and the reason beside them.

use std::io::Write as _;
use std::path::Path;
use std::process::{Command, ExitCode};

/// Golden packs, from the root of the workspace.
const FOLDER: &str = "crates/render/tests/golden";

/// Runs the golden tests so that they write what they got. Without a reason nothing is written.
pub fn bless(root: &Path, words: &[String]) -> ExitCode {
    let Some(reason) = reason(words) else {
        eprintln!("say why: cargo xtask bless --reason \"…\"");
        return ExitCode::from(2);
    };
    let run = Command::new(env!("CARGO"))
        .args(["test", "-q", "-p", "contextd-render", "--test", "golden"])
        .env("CONTEXTD_BLESS", "1")
        .current_dir(root)
        .status();
    if !run.is_ok_and(|status| status.success()) {
        eprintln!("the golden tests did not run");
        return ExitCode::FAILURE;
    }
    let log = root.join(FOLDER).join("REASONS.md");
    let written = std::fs::OpenOptions::new()
        .create(true)
        .append(true)
        .open(&log)
        .and_then(|mut file| writeln!(file, "- {reason}"));
    match written {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{}: {error}", log.display());
            ExitCode::FAILURE
        }
    }
}

fn reason(words: &[String]) -> Option<String> {
    let text = match words {
        [flag, rest @ ..] if flag == "--reason" => rest.join(" "),
        [flag] => flag.strip_prefix("--reason=")?.to_owned(),
        _ => return None,
    };
    let line: Vec<&str> = text.split_whitespace().collect();
    // One word is an excuse, not a reason.
    (line.len() >= 3).then(|| line.join(" "))
}

#[cfg(test)]
mod tests {
    use super::reason;

    #[test]
    fn a_reason_is_asked_for() {
        let words = |text: &str| text.split(' ').map(str::to_owned).collect::<Vec<_>>();
        assert_eq!(
            reason(&words("--reason titles show scopes")),
            Some("titles show scopes".to_owned())
        );
        assert_eq!(reason(&words("--reason because")), None);
        assert_eq!(reason(&[]), None);
        assert_eq!(
            reason(&["--reason=spans are counted anew".to_owned()]),
            Some("spans are counted anew".to_owned())
        );
    }
}
