//! What single keys cannot show: values that contradict each other, and the form of extensions.

use super::{Config, PROVIDERS, nearest::nearest};
use crate::Problem;

/// Reports contradictions and brings extensions to one form: lower case with a leading dot.
pub(super) fn validate(config: &mut Config, problems: &mut Vec<Problem>) {
    let indexing = &mut config.indexing;
    normalise(&mut indexing.allowed_extensions, "indexing.allowed_extensions", problems);
    normalise(&mut indexing.blocked_extensions, "indexing.blocked_extensions", problems);
    normalise(&mut config.bootstrap.priority_extensions, "bootstrap.priority_extensions", problems);
    for extension in &config.indexing.allowed_extensions {
        if config.indexing.blocked_extensions.contains(extension) {
            problems.push(Problem::warning(
                "CTX_W_CONFIG_CONFLICT",
                format!("The extension {extension} is both allowed and blocked."),
                "Remove it from one of the lists; until then it is blocked.",
            ));
        }
    }
    if config.warn_file_bytes() > config.max_file_bytes() {
        problems.push(Problem::warning(
            "CTX_W_CONFIG_CONFLICT",
            "`indexing.warn_file_size_mb` is larger than the limit, so no file is reported.",
            "Lower it below `max_file_size_mb`.",
        ));
    }
    if config.budget.reserve_for_prompt >= config.budget.default_max_tokens {
        problems.push(Problem::warning(
            "CTX_W_CONFIG_CONFLICT",
            "`budget.reserve_for_prompt` leaves no tokens of `budget.default_max_tokens`.",
            "Raise `default_max_tokens` or lower `reserve_for_prompt`.",
        ));
    }
    check_providers(config, problems);
    check_projects(config, problems);
}

fn normalise(extensions: &mut Vec<String>, key: &str, problems: &mut Vec<Problem>) {
    let mut kept = Vec::with_capacity(extensions.len());
    for extension in extensions.drain(..) {
        let bare = extension.trim().trim_start_matches('.').to_lowercase();
        if bare.is_empty() || bare.contains(['/', '\\', '*', '?', ' ']) {
            problems.push(Problem::error(
                "CTX_E_CONFIG_EXTENSION",
                format!("`{key}` has the entry {extension:?}, which is not an extension."),
                "Write extensions as \".rs\"; patterns belong to `watcher.ignore_patterns`.",
            ));
            continue;
        }
        if !extension.trim().starts_with('.') {
            problems.push(Problem::warning(
                "CTX_W_CONFIG_EXTENSION",
                format!("`{key}` has the entry {extension:?} without a dot."),
                format!("Write it as \".{bare}\"; it is read as such."),
            ));
        }
        kept.push(format!(".{bare}"));
    }
    *extensions = kept;
}

fn check_providers(config: &Config, problems: &mut Vec<Problem>) {
    for name in &config.providers.hybrid.combines {
        if PROVIDERS.contains(&name.as_str()) && name != "hybrid" {
            continue;
        }
        let remedy = match nearest(name, PROVIDERS.iter().copied()).filter(|name| *name != "hybrid")
        {
            Some(known) => format!("Did you mean {known:?}?"),
            None => format!("Choose among {}.", PROVIDERS[..PROVIDERS.len() - 1].join(", ")),
        };
        let message = format!(
            "`providers.hybrid.combines` names {name:?}, which is not a provider it can combine."
        );
        problems.push(Problem::error("CTX_E_CONFIG_PROVIDER", message, remedy));
    }
}

fn check_projects(config: &Config, problems: &mut Vec<Problem>) {
    for (name, project) in &config.projects {
        if project.watch_paths.is_empty() {
            problems.push(Problem::error(
                "CTX_E_CONFIG_PROJECT",
                format!("The project {name:?} has no folders."),
                format!("Give it some: [projects.{name}] watch_paths = [\"{name}/\"]."),
            ));
        }
    }
}
