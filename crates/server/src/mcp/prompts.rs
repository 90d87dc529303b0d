//! Prompts: ways of working that begin with what the index knows.

use super::Mcp;
use super::kept::fitting;
use super::resources::run;
use contextd_ops::{find, unused};
use contextd_render::Format;
use rmcp::ErrorData;
use rmcp::model::{GetPromptResult, JsonObject, Prompt, PromptArgument, PromptMessage, Role};
use serde_json::{Value, json};

/// Most tokens of what the index contributes to a prompt.
const FOUND: usize = 6_000;
/// Most symbols that are listed as maybe unused.
const UNUSED: usize = 60;

/// Returns the prompts.
pub fn list() -> Vec<Prompt> {
    let argument = |name: &str, about: &str, required: bool| {
        PromptArgument::new(name).with_description(about).with_required(required)
    };
    vec![
        Prompt::new(
            "refactor_safely",
            Some("Change a symbol without breaking who uses it"),
            Some(vec![
                argument("symbol", "The symbol to change", true),
                argument("goal", "What the change is for", false),
            ]),
        ),
        Prompt::new(
            "review_pr",
            Some("Review a change with what it reaches"),
            Some(vec![argument(
                "base",
                "Where the change begins, such as main or main..feature",
                false,
            )]),
        ),
        Prompt::new(
            "investigate_dead_code",
            Some("Find code that nothing uses, and make sure of it"),
            Some(vec![argument("path", "Folder to look in", false)]),
        ),
    ]
}

/// Returns a prompt with its arguments filled in.
pub fn get(server: &Mcp, name: &str, arguments: &JsonObject) -> Result<GetPromptResult, ErrorData> {
    let text = |key: &str| {
        arguments.get(key).and_then(Value::as_str).unwrap_or_default().trim().to_owned()
    };
    let (about, body) = match name {
        "refactor_safely" => refactor(server, &text("symbol"), &text("goal"))?,
        "review_pr" => review(server, &text("base")),
        "investigate_dead_code" => dead_code(server, &text("path"))?,
        _ => {
            return Err(ErrorData::invalid_params(
                format!("there is no prompt `{name}`"),
                Some(json!({"code": "CTX_E_NOT_FOUND"})),
            ));
        }
    };
    Ok(GetPromptResult::new(vec![PromptMessage::new_text(Role::User, body)])
        .with_description(about))
}

fn refactor(server: &Mcp, symbol: &str, goal: &str) -> Result<(String, String), ErrorData> {
    if symbol.is_empty() {
        return Err(ErrorData::invalid_params(
            "the argument `symbol` is missing",
            Some(json!({"code": "CTX_E_REQUEST"})),
        ));
    }
    let reached = found(server, "impact", json!({ "target": symbol }));
    let goal = if goal.is_empty() { String::new() } else { format!(" The goal: {goal}.") };
    let body = format!(
        "Change `{symbol}` without breaking what uses it.{goal}\n\n\
         1. Read it and its users: call `symbol` with its name. Edges marked guessed must be checked by reading.\n\
         2. Write down what users rely on: signature, errors, side effects, order.\n\
         3. Look at the tests below. Where one is missing, write it first and see it pass on the old code.\n\
         4. Change the symbol, then its users, nearest first. Keep each step compiling.\n\
         5. Run the tests below, then call `context_for_files` with the changed files and look for what was left behind.\n\n\
         What a change of it reaches:\n\n{reached}"
    );
    Ok((format!("Change {symbol} safely"), body))
}

fn review(server: &Mcp, base: &str) -> (String, String) {
    let change = if find("context_for_pr").is_some() {
        found(
            server,
            "context_for_pr",
            if base.is_empty() { json!({}) } else { json!({ "base": base }) },
        )
    } else {
        "Call `context_for_files` with the changed files.".to_owned()
    };
    let what = if base.is_empty() {
        "the change in the work tree".to_owned()
    } else {
        format!("the change since {base}")
    };
    let body = format!(
        "Review {what}.\n\n\
         1. Say in two sentences what the change does.\n\
         2. For each changed symbol call `symbol`: do its callers still get what they expect?\n\
         3. Look for changed behaviour that no test covers, for errors that are swallowed, for input from outside that is trusted.\n\
         4. Compare with how neighbouring code does it.\n\
         5. Report findings by severity, each with file and line, why it matters and what to do. Say what you could not check.\n\n\
         What the change reaches:\n\n{change}"
    );
    (format!("Review {what}"), body)
}

fn dead_code(server: &Mcp, path: &str) -> Result<(String, String), ErrorData> {
    // A first look makes sure that there is an index.
    run(server, "status", json!({}))?;
    let root = server.served.root();
    let lines = unused(&root.context, path, UNUSED).map_err(|error| {
        ErrorData::internal_error(error.message, Some(json!({"code": error.code})))
    })?;
    let listed = if lines.is_empty() {
        "Nothing: every symbol there is used.".to_owned()
    } else {
        lines.join("\n")
    };
    let place = if path.is_empty() { "this project".to_owned() } else { format!("`{path}`") };
    let body = format!(
        "Find dead code in {place}.\n\n\
         The symbols below have no known user in the index. That alone proves nothing: entry points, code called by name, by a framework, from templates or configuration, and public interfaces look the same.\n\n\
         For each one worth removing:\n\
         1. Call `symbol`, then search its name as plain text, in strings and settings too.\n\
         2. Say why it was there: history and neighbouring code tell.\n\
         3. Sort it: dead, only tests use it, used from outside, unsure.\n\
         4. Propose removals in small steps, each with what to run after it. Do not remove what you are unsure of.\n\n\
         Symbols without a known user:\n\n{listed}"
    );
    Ok((format!("Dead code in {place}"), body))
}

/// Returns what an operation answers, as text that fits; a refusal is told, too.
fn found(server: &Mcp, name: &str, input: Value) -> String {
    let text = match run(server, name, input) {
        Ok(answer) => contextd_render::answer(&answer, Format::Text),
        Err(error) => format!("({})", error.message),
    };
    text[..fitting(&text, FOUND)].to_owned()
}
