//! `contextd serve`: MCP over standard input and output, or HTTP.

use crate::args::{Cli, ServeArgs, ToolSet};
use crate::ui;
use contextd_engine::Engine;
use contextd_ops::Context;
use std::process::ExitCode;
use std::sync::Arc;

pub fn serve(cli: &Cli, args: &ServeArgs, engine: Engine) -> anyhow::Result<ExitCode> {
    let mut context = Context::new(Arc::new(engine), crate::now, contextd_render::pack, true);
    context.asker.session.clone_from(&cli.session);
    context.asker.cold = cli.cold;
    let context = Arc::new(if args.http.is_some() { context.on("http") } else { context });
    if let Some(address) = &args.http {
        let key = std::env::var("CONTEXTD_API_KEY").ok().filter(|key| !key.is_empty());
        ui::say(cli.quiet, &format!("serving http://{address}; end with Ctrl-C"));
        contextd_server::serve_http(context.clone(), address, key).map_err(|error| anyhow::anyhow!(error))?;
        context.flush();
        return Ok(ExitCode::SUCCESS);
    }
    let tools = match args.tools {
        ToolSet::Core => contextd_server::ToolSet::Core,
        ToolSet::All => contextd_server::ToolSet::All,
    };
    contextd_server::serve_stdio(context.clone(), tools).map_err(|error| anyhow::anyhow!(error))?;
    context.flush();
    Ok(ExitCode::SUCCESS)
}
