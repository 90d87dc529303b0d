//! Projects of the configuration as a scope of questions.

use crate::error::OpError;
use contextd_engine::Engine;

/// Returns the folders a project looks at and those it leaves out.
pub fn project_scope(engine: &Engine, name: &str) -> Result<(Vec<String>, Vec<String>), OpError> {
    let projects = &engine.config.projects;
    let Some(project) = projects.get(name) else {
        let known = if projects.is_empty() {
            "the configuration has none".to_owned()
        } else {
            projects.keys().cloned().collect::<Vec<_>>().join(", ")
        };
        return Err(OpError::not_found(
            format!("there is no project `{name}`"),
            format!("Known: {known}. Projects stand under [projects.NAME] in context.toml."),
        ));
    };
    // What stands for the whole root narrows nothing.
    let whole = project.watch_paths.iter().any(|path| matches!(path.as_str(), "auto" | "." | "./"));
    let within = if whole {
        Vec::new()
    } else {
        project
            .watch_paths
            .iter()
            .map(|path| path.trim_start_matches("./").trim_end_matches('/').to_owned())
            .collect()
    };
    Ok((within, project.ignore_patterns.clone()))
}

/// Narrows lists of folders to a project, when one is named.
pub fn narrow(
    engine: &Engine,
    project: Option<&str>,
    within: &mut Vec<String>,
    exclude: &mut Vec<String>,
) -> Result<(), OpError> {
    if let Some(name) = project {
        let (own, without) = project_scope(engine, name)?;
        // A narrower wish inside of the project stays what it is.
        if within.is_empty() {
            within.extend(own);
        }
        exclude.extend(without);
    }
    Ok(())
}
