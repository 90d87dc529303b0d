//! The keys of `context.toml`.

use super::row;
use contextd_model::config;

pub fn page() -> String {
    let mut out = String::from(
        "# Configuration\n\nNothing needs to be configured. What is set stands in `config/context.toml` or `context.toml` at the root, or in the file that `--config` names. Texts may hold variables of the environment: `${NAME}`, `${NAME:-otherwise}`. `contextd validate-config` says what is wrong, with the line.\n\nA changed setting reads again exactly the files it affects.\n",
    );
    let mut section = None;
    for key in config::reference() {
        if section != Some(key.section) {
            section = Some(key.section);
            let title = if key.section.is_empty() {
                "At the top".to_owned()
            } else {
                format!("[{}]", key.section)
            };
            out.push_str(&format!(
                "\n## {title}\n\n| key | value | default | meaning |\n|---|---|---|---|\n"
            ));
        }
        let expects = key
            .range
            .as_ref()
            .map_or(key.expects.to_owned(), |range| format!("{}, {range}", key.expects));
        out.push_str(&row(&[
            &format!("`{}`", key.name),
            &expects,
            &format!("`{}`", key.default),
            &key.doc,
        ]));
    }
    out.push_str("\n## Why a file is left out\n\nThe rules in the order in which they are asked; the first that says no decides. `contextd check-file PATH` names it, `contextd project-stats` counts them.\n\n| rule | meaning |\n|---|---|\n");
    for rule in contextd_scan::Rule::ALL {
        out.push_str(&row(&[&format!("`{}`", rule.name()), rule.about()]));
    }
    out
}
