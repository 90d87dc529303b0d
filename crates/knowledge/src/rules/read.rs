//! Rules from their files.

use super::{Law, Matcher, Rule, Rules};
use crate::graph::{File, Graph};
use crate::yaml::{Value, Yaml};
use contextd_model::{Problem, Severity};

/// Keys of which a rule has one.
const LAWS: &[&str] = &[
    "require",
    "deny",
    "forbid",
    "layers",
    "forbid_cycles",
    "forbid_import",
    "check",
    "module_coverage",
];

/// Reads the rules of all files; refs that no node has are named.
pub fn read(files: &[File], graph: &Graph) -> (Rules, Vec<Problem>) {
    let mut rules: Vec<Rule> = Vec::new();
    let mut problems = Vec::new();
    for file in files {
        let listed = file
            .root
            .as_ref()
            .and_then(|root| root.get("rules"))
            .map(Yaml::items)
            .unwrap_or_default();
        for item in listed {
            match rule(item, &file.path) {
                Ok(rule) if rules.iter().any(|known| known.name == rule.name) => {
                    problems.push(problem(
                        &file.path,
                        item.line,
                        format!("the rule `{}` stands twice", rule.name),
                    ))
                }
                Ok(rule) => {
                    problems.extend(unknown_refs(&rule, graph));
                    rules.push(rule);
                }
                Err(wrong) => problems.push(*wrong),
            }
        }
    }
    (Rules { rules }, problems)
}

fn problem(path: &str, line: u32, message: String) -> Problem {
    Problem::error(
        "CTX_E_RULE",
        message,
        "See docs/oracle.md for the keys of rules; the rule is left out.",
    )
    .at(path, Some(line))
}

fn rule(item: &Yaml, path: &str) -> Result<Rule, Box<Problem>> {
    let wrong = |line: u32, message: String| Err(Box::new(problem(path, line, message)));
    let name = item.get("name").and_then(Yaml::text).unwrap_or_default().to_owned();
    if name.is_empty() {
        return wrong(item.line, "a rule has no `name`".to_owned());
    }
    let present: Vec<&str> = LAWS.iter().copied().filter(|key| item.get(key).is_some()).collect();
    let [key] = present.as_slice() else {
        return wrong(
            item.line,
            format!("the rule `{name}` must have exactly one of: {}", LAWS.join(", ")),
        );
    };
    // The key was found a moment ago.
    let Some(body) = item.get(key) else {
        return wrong(item.line, format!("the rule `{name}` is empty"));
    };
    let severity = match item.get("severity").and_then(Yaml::text) {
        None if *key == "check" => Severity::Warning,
        None | Some("error") => Severity::Error,
        Some("warn" | "warning") => Severity::Warning,
        Some(other) => {
            return wrong(
                item.line,
                format!("`severity: {other}` of the rule `{name}` is none of error, warn"),
            );
        }
    };
    let law = match law(key, body, item) {
        Ok(law) => law,
        Err(why) => return wrong(body.line, format!("the rule `{name}`: {why}")),
    };
    Ok(Rule {
        name,
        description: item.get("description").and_then(Yaml::text).unwrap_or_default().to_owned(),
        severity,
        law,
        file: path.to_owned(),
        line: item.line,
    })
}

fn law(key: &str, body: &Yaml, item: &Yaml) -> Result<Law, String> {
    let text = |name: &str| body.get(name).and_then(Yaml::text).map(str::to_owned);
    let texts = |name: &str| body.get(name).map(Yaml::texts).unwrap_or_default();
    let number = |name: &str| {
        text(name)
            .map(|text| text.parse::<u32>().map_err(|_| format!("`{name}: {text}` is no number")))
            .transpose()
    };
    Ok(match key {
        "require" => Law::Require {
            on: matcher(body, "for")?,
            to: matcher(body, "has_edge_to")?,
            edge: text("edge_kind"),
        },
        "deny" => Law::Deny {
            from: matcher(body, "from")?,
            to: matcher(body, "to")?,
            unless: texts("unless_edge"),
        },
        "forbid" => Law::Forbid {
            from: matcher(body, "from")?,
            to: matcher(body, "to")?,
            edge: text("edge_kind"),
        },
        "forbid_cycles" => {
            let edges = texts("edge_kind");
            Law::ForbidCycles {
                edges: if edges.is_empty() { vec!["depends_on".to_owned()] } else { edges },
                refs: texts("refs"),
            }
        }
        "forbid_import" => {
            Law::ForbidImport { from: glob(text("from"), "from")?, to: glob(text("to"), "to")? }
        }
        "layers" => layers(body, item)?,
        "check" => Law::Size {
            on: matcher(body, "for")?,
            max_symbols: number("max_symbols")?,
            max_files: number("max_files")?,
        },
        _ => Law::ModuleCoverage {
            root: text("source_root").unwrap_or_default(),
            min_symbols: number("min_symbols")?.unwrap_or(1),
            exempt: texts("exempt"),
        },
    })
}

fn layers(body: &Yaml, item: &Yaml) -> Result<Law, String> {
    let listed = match &body.value {
        Value::Map(_) => {
            body.get("layers").or_else(|| body.get("order")).ok_or("`layers` lists none")?
        }
        _ => body,
    };
    let layer = |item: &Yaml| match item.text() {
        Some(tag) => Ok((tag.to_owned(), tag.to_owned())),
        None => {
            let field = |name: &str| item.get(name).and_then(Yaml::text).map(str::to_owned);
            let tag = field("tag").ok_or("a layer has no `tag`")?;
            Ok((field("name").unwrap_or_else(|| tag.clone()), tag))
        }
    };
    let layers = listed.items().into_iter().map(layer).collect::<Result<Vec<_>, &str>>()?;
    if layers.len() < 2 {
        return Err("`layers` needs two at least".to_owned());
    }
    // Some write the settings beside the key, some inside of it.
    let beside = |name: &str| body.get(name).or_else(|| item.get(name));
    Ok(Law::Layers {
        layers,
        edge: beside("edge_kind").and_then(Yaml::text).unwrap_or("uses").to_owned(),
        allow_skip: !beside("allow_skip").is_some_and(Yaml::is_false),
    })
}

fn matcher(body: &Yaml, key: &str) -> Result<Matcher, String> {
    let Some(value) = body.get(key) else {
        return Err(format!("there is no `{key}`"));
    };
    if let Some(ref_id) = value.text() {
        return Ok(Matcher { ref_id: Some(ref_id.to_owned()), ..Matcher::default() });
    }
    let text = |name: &str| value.get(name).and_then(Yaml::text).map(str::to_owned);
    if let Some((other, _)) = value
        .entries()
        .iter()
        .find(|(name, _)| !["ref_id", "kind", "tag", "exclude"].contains(&name.as_str()))
    {
        return Err(format!("`{key}` has `{other}`, which is none of ref_id, kind, tag, exclude"));
    }
    Ok(Matcher {
        ref_id: text("ref_id"),
        kind: text("kind"),
        tag: text("tag"),
        exclude: value.get("exclude").map(Yaml::texts).unwrap_or_default(),
    })
}

fn glob(text: Option<String>, key: &str) -> Result<String, String> {
    let text = text.ok_or_else(|| format!("there is no `{key}`"))?;
    if super::ends::End::parse(&text).is_none() {
        return Err(format!("`{text}` is no pattern"));
    }
    Ok(text)
}

fn unknown_refs(rule: &Rule, graph: &Graph) -> Vec<Problem> {
    let of = |matcher: &Matcher| {
        matcher.ref_id.iter().chain(&matcher.exclude).cloned().collect::<Vec<_>>()
    };
    let refs: Vec<String> = match &rule.law {
        Law::Require { on, to, .. } => [of(on), of(to)].concat(),
        Law::Deny { from, to, .. } | Law::Forbid { from, to, .. } => [of(from), of(to)].concat(),
        Law::Size { on, .. } => of(on),
        Law::ForbidCycles { refs, .. } => refs.clone(),
        _ => Vec::new(),
    };
    let unknown = refs.into_iter().filter(|ref_id| graph.find(ref_id).is_none());
    unknown
        .map(|ref_id| {
            let near = crate::suggest(graph.refs(), &ref_id);
            let remedy = if near.is_empty() {
                "Declare the node, or correct the rule.".to_owned()
            } else {
                format!("Declare the node, or write one of: {}.", near.join(", "))
            };
            Problem::warning(
                "CTX_W_RULE_REF",
                format!("the rule `{}` names `{ref_id}`, which is not declared", rule.name),
                remedy,
            )
            .at(rule.file.clone(), Some(rule.line))
        })
        .collect()
}
