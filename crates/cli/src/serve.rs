//! `contextd serve`: MCP over standard input and output, or HTTP with MCP beside it.

use crate::args::{Cli, ServeArgs, ToolSet};
use crate::ui;
use contextd_engine::{Engine, EngineOptions};
use contextd_ops::{Asker, Context};
use contextd_server::{HttpOptions, Opener, Served};
use std::process::ExitCode;
use std::sync::Arc;

pub fn serve(cli: &Cli, args: &ServeArgs, engine: Engine) -> anyhow::Result<ExitCode> {
    let key = std::env::var("CONTEXTD_API_KEY")
        .ok()
        .filter(|key| !key.is_empty())
        .or_else(|| engine.config.engine.api_key.clone());
    let tools = match args.tools {
        ToolSet::Core => contextd_server::ToolSet::Core,
        ToolSet::All => contextd_server::ToolSet::All,
    };
    let asker = Asker {
        surface: if args.http.is_some() { "http" } else { "mcp" },
        session: cli.session.clone(),
        cold: cli.cold,
        ..Asker::default()
    };
    let served = Served::new(
        context(engine, &asker),
        Some(opener(crate::engine_options(cli), asker)),
        cli.repo.is_some(),
    );
    let result = match &args.http {
        Some(address) => {
            let options = HttpOptions { key, tools, ..HttpOptions::new(address) };
            contextd_server::serve_http(served.clone(), &options, |address| {
                ui::say(
                    cli.quiet,
                    &format!(
                        "serving http://{address}, MCP at http://{address}/mcp; end with Ctrl-C"
                    ),
                )
            })
        }
        None => contextd_server::serve_stdio(served.clone(), tools),
    };
    served.flush();
    result.map_err(|error| anyhow::anyhow!(error))?;
    Ok(ExitCode::SUCCESS)
}

fn context(engine: Engine, asker: &Asker) -> Context {
    let mut context = Context::new(Arc::new(engine), crate::now, contextd_render::pack, true);
    context.asker = asker.clone();
    context
}

/// Opens the roots that clients name.
fn opener(options: EngineOptions, asker: Asker) -> Opener {
    Arc::new(move |path| {
        Engine::open(path, &options, &|name| std::env::var(name).ok())
            .map(|engine| context(engine, &asker))
            .map_err(|error| error.to_string())
    })
}
