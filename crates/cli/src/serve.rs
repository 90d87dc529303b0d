//! `contextd serve`: MCP over standard input and output.

use crate::args::{Cli, ServeArgs, ToolSet};
use contextd_engine::Engine;
use contextd_ops::Context;
use std::process::ExitCode;
use std::sync::Arc;

pub fn serve(_cli: &Cli, args: &ServeArgs, engine: Engine) -> anyhow::Result<ExitCode> {
    let context = Arc::new(Context::new(Arc::new(engine), crate::now, contextd_render::pack, true));
    let tools = match args.tools {
        ToolSet::Core => contextd_server::ToolSet::Core,
        ToolSet::All => contextd_server::ToolSet::All,
    };
    contextd_server::serve_stdio(context, tools).map_err(|error| anyhow::anyhow!(error))?;
    Ok(ExitCode::SUCCESS)
}
