//! Tasks with known answers, read from JSON lines.

use super::places::Place;
use crate::error::OpError;
use serde_json::Value;

/// One request and what a good answer to it holds.
#[derive(Clone, Debug, PartialEq)]
pub struct EvalTask {
    pub id: Value,
    pub query: String,
    /// Guesses that come with the request.
    pub names: Vec<String>,
    /// What is wanted; without it the task is only answered.
    pub truth: Option<Truth>,
    /// The line as it was read, for grouping.
    pub fields: Value,
}

/// What a good answer holds.
#[derive(Clone, Debug, PartialEq)]
pub enum Truth {
    Symbols(Vec<String>),
    Files(Vec<Target>),
}

/// A wanted file, perhaps with the lines that matter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Target {
    pub path: String,
    pub lines: Option<(u32, u32)>,
}

impl Target {
    /// True when the place shows this file, and its lines if they are given.
    pub fn is_at(&self, place: &Place) -> bool {
        let same = place.file == self.path
            || place
                .file
                .strip_suffix(self.path.as_str())
                .is_some_and(|before| before.ends_with('/'));
        same && self
            .lines
            .is_none_or(|(first, last)| place.start_line <= last && first <= place.end_line)
    }
}

impl EvalTask {
    /// Returns the folder of the repository that the paths of the truth start above, if the task names one.
    pub fn root(&self) -> &str {
        self.fields["root"].as_str().unwrap_or_default()
    }
}

/// Reads tasks: `id`, `query` (or `description`), and `ground_truth` or `relevant` and `secondary` where known.
/// `repo` keeps only the tasks whose field `repo` says so.
pub fn read(text: &str, name: &str, repo: Option<&str>) -> Result<Vec<EvalTask>, OpError> {
    let mut tasks = Vec::new();
    for (number, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
        let bad = |why: String| {
            OpError::request(
                format!("{name}:{}: {why}", number + 1),
                "Write one JSON object a line: {\"id\": …, \"query\": \"…\", \"ground_truth\": [\"Type.method\", …]}.",
            )
        };
        let fields: Value = serde_json::from_str(line).map_err(|error| bad(error.to_string()))?;
        if repo.is_some_and(|repo| fields["repo"].as_str() != Some(repo)) {
            continue;
        }
        let Some(query) = fields["query"].as_str().or_else(|| fields["description"].as_str())
        else {
            return Err(bad("there is no `query`".to_owned()));
        };
        tasks.push(EvalTask {
            id: fields["id"].clone(),
            query: query.to_owned(),
            names: names(&fields).map_err(bad)?,
            truth: truth(&fields).map_err(bad)?,
            fields,
        });
    }
    Ok(tasks)
}

fn names(fields: &Value) -> Result<Vec<String>, String> {
    if fields["names"].is_null() {
        return Ok(Vec::new());
    }
    let names = fields["names"].as_array().and_then(|names| {
        names.iter().map(|name| name.as_str().map(str::to_owned)).collect::<Option<Vec<String>>>()
    });
    names.ok_or_else(|| "`names` is no list of texts".to_owned())
}

fn truth(fields: &Value) -> Result<Option<Truth>, String> {
    if let Some(names) = fields["ground_truth"].as_array() {
        let names: Option<Vec<String>> =
            names.iter().map(|name| name.as_str().map(str::to_owned)).collect();
        let names = names.ok_or("`ground_truth` holds something that is no text")?;
        return Ok((!names.is_empty()).then_some(Truth::Symbols(names)));
    }
    let listed =
        ["relevant", "secondary"].iter().filter_map(|key| fields[key].as_array()).flatten();
    let targets: Option<Vec<Target>> = listed.map(target).collect();
    let targets =
        targets.ok_or("`relevant` and `secondary` hold paths, or objects with a `path`")?;
    Ok((!targets.is_empty()).then_some(Truth::Files(targets)))
}

fn target(value: &Value) -> Option<Target> {
    let line = |key: &str| value[key].as_u64().and_then(|line| u32::try_from(line).ok());
    let path = value.as_str().or_else(|| value["path"].as_str())?.to_owned();
    Some(Target { path, lines: line("start_line").zip(line("end_line")) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tasks_are_read_with_their_truths() {
        let text = "{\"id\":1,\"query\":\"a\",\"ground_truth\":[\"X\"]}\n\n{\"id\":2,\"repo\":\"r\",\"description\":\"b\",\"relevant\":[\"p\",{\"path\":\"q\",\"start_line\":3,\"end_line\":4}]}\n{\"id\":3,\"query\":\"c\"}\n";
        let tasks = read(text, "t", None).unwrap();
        assert_eq!(tasks[0].truth, Some(Truth::Symbols(vec!["X".to_owned()])));
        assert_eq!(
            tasks[1].truth,
            Some(Truth::Files(vec![
                Target { path: "p".to_owned(), lines: None },
                Target { path: "q".to_owned(), lines: Some((3, 4)) }
            ]))
        );
        assert_eq!((tasks[2].truth.clone(), tasks[1].query.as_str()), (None, "b"));
        assert_eq!(read(text, "t", Some("r")).unwrap().len(), 1);
    }

    #[test]
    fn a_bad_line_is_named() {
        for text in [
            "{\"id\":1}",
            "{",
            "{\"query\":\"a\",\"relevant\":[3]}",
            "{\"query\":\"a\",\"ground_truth\":[3]}",
        ] {
            let error = read(text, "tasks.jsonl", None).unwrap_err();
            assert!(error.message.starts_with("tasks.jsonl:1: "), "{}", error.message);
        }
    }
}
