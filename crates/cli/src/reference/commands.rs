//! The commands: what they do, their arguments and options, examples.

use super::row;
use crate::{args, examples};
use clap::{Arg, Command};
use std::fmt::Write as _;

pub fn page() -> String {
    let mut root = args::command();
    root.build();
    let mut out = String::from(
        "# Commands\n\nAnswers go to standard output, everything else to standard error. Exit codes: 0 found or done, 1 nothing found or a check failed, 2 an error. Through a pipe answers are plain; `--json` is for programs.\n",
    );
    for (title, commands) in args::groups(&root) {
        let links: Vec<String> =
            commands.iter().map(|own| format!("[`{0}`](#contextd-{0})", own.get_name())).collect();
        let _ = writeln!(out, "\n**{title}**: {}", links.join(", "));
    }
    out.push_str("\n## Options of every command\n\n");
    options(&mut out, &root, Arg::is_global_set);
    for (_, commands) in args::groups(&root) {
        commands
            .iter()
            .for_each(|own| command(&mut out, own, &format!("contextd {}", own.get_name()), 2));
    }
    out
}

fn command(out: &mut String, own: &Command, name: &str, depth: usize) {
    let _ = writeln!(
        out,
        "\n{} {name}\n\n{}.",
        "#".repeat(depth),
        own.get_about().map(ToString::to_string).unwrap_or_default()
    );
    let usage = own.clone().render_usage().to_string();
    let _ = writeln!(out, "\n```text\n{}\n```\n", usage.trim_start_matches("Usage: ").trim());
    let own_name = name.trim_start_matches("contextd ");
    options(out, own, |arg| !arg.is_global_set());
    if let Some((_, lines)) = examples::EXAMPLES.iter().find(|(known, _)| *known == own_name) {
        lines.iter().for_each(|(line, about)| example(out, line, about));
    }
    for inner in
        own.get_subcommands().filter(|inner| inner.get_name() != "help" && !inner.is_hide_set())
    {
        command(out, inner, &format!("{name} {}", inner.get_name()), depth + 1);
    }
}

/// Examples that can be run anywhere stand in blocks that a test runs.
fn example(out: &mut String, line: &str, about: &str) {
    let block = if examples::runs_anywhere(line) { "console" } else { "text" };
    let _ = writeln!(
        out,
        "\n{}{}:\n\n```{block}\n$ {line}\n```",
        about[..1].to_uppercase(),
        &about[1..]
    );
}

fn options(out: &mut String, own: &Command, wanted: impl Fn(&Arg) -> bool) {
    let shown: Vec<&Arg> = own
        .get_arguments()
        .filter(|arg| {
            wanted(arg)
                && !arg.is_hide_set()
                && !matches!(arg.get_id().as_str(), "help" | "version")
        })
        .collect();
    if shown.is_empty() {
        return;
    }
    out.push_str("| option | meaning | default |\n|---|---|---|\n");
    for arg in shown {
        let help = arg.get_help().map(ToString::to_string).unwrap_or_default();
        let words: Vec<String> = arg
            .get_possible_values()
            .iter()
            .filter(|value| !value.is_hide_set())
            .map(|value| format!("`{}`", value.get_name()))
            .collect();
        let help = if words.is_empty() || !arg.get_action().takes_values() {
            help
        } else {
            format!("{help}: {}", words.join(", "))
        };
        let default: Vec<String> = arg
            .get_default_values()
            .iter()
            .map(|value| value.to_string_lossy().into_owned())
            .collect();
        let default = if arg.get_action().takes_values() && !default.is_empty() {
            format!("`{}`", default.join(", "))
        } else {
            String::new()
        };
        out.push_str(&row(&[&format!("`{}`", name(arg)), &help, &default]));
    }
}

fn name(arg: &Arg) -> String {
    let value = arg
        .get_value_names()
        .map(|names| names.join(" "))
        .unwrap_or_else(|| arg.get_id().as_str().to_uppercase());
    let value = if arg.get_action().takes_values() { value } else { String::new() };
    let many = if matches!(arg.get_action(), clap::ArgAction::Append) && arg.is_positional() {
        "…"
    } else {
        ""
    };
    match (arg.get_short(), arg.get_long()) {
        (None, None) => format!("{value}{many}"),
        (Some(short), Some(long)) => format!("-{short}, --{long} {value}").trim_end().to_owned(),
        (Some(short), None) => format!("-{short} {value}").trim_end().to_owned(),
        (None, Some(long)) => format!("--{long} {value}").trim_end().to_owned(),
    }
}
