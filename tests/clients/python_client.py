"""Lists and calls every tool with the official Python MCP client, over stdio and streamable HTTP.

usage: python_client.py CONTEXTD REPO
"""
import asyncio
import json
import pathlib
import socket
import subprocess
import sys
import time

from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client

try:
    from mcp.client.streamable_http import streamable_http_client
except ImportError:
    from mcp.client.streamable_http import streamablehttp_client as streamable_http_client

ARGUMENTS = json.loads((pathlib.Path(__file__).parent / "arguments.json").read_text())


async def everything(session, way):
    tools = (await session.list_tools()).tools
    refused = []
    made = await session.call_tool("context_pack_create", ARGUMENTS["context_pack_create"])
    pack = (getattr(made, "structured_content", None) or made.structuredContent)["packId"]
    for tool in tools:
        given = json.loads(json.dumps(ARGUMENTS.get(tool.name, {})).replace("$PACK", pack))
        result = await session.call_tool(tool.name, given)
        failed = getattr(result, "is_error", None) or getattr(result, "isError", None)
        assert result.content, tool.name
        if failed:
            refused.append(tool.name)
    resources = (await session.list_resources()).resources
    for resource in resources:
        assert (await session.read_resource(resource.uri)).contents, resource.uri
    prompts = (await session.list_prompts()).prompts
    for prompt in prompts:
        await session.get_prompt(prompt.name, {"symbol": "main"} if prompt.name == "refactor_safely" else {})
    print(f"{way}: {len(tools)} tools called, {len(resources)} resources read, {len(prompts)} prompts; refused: {', '.join(refused) or 'none'}")


async def over_stdio(program, repo):
    parameters = StdioServerParameters(command=program, args=["serve", "--stdio", "--tools", "all", "--repo", repo])
    async with stdio_client(parameters) as (read, write), ClientSession(read, write) as session:
        await session.initialize()
        await everything(session, "stdio")


async def over_http(program, repo):
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    server = subprocess.Popen([program, "-q", "serve", "--http", f"127.0.0.1:{port}", "--tools", "all", "--repo", repo])
    try:
        for _ in range(200):
            with socket.socket() as probe:
                if probe.connect_ex(("127.0.0.1", port)) == 0:
                    break
            time.sleep(0.05)
        async with streamable_http_client(f"http://127.0.0.1:{port}/mcp") as streams, ClientSession(streams[0], streams[1]) as session:
            await session.initialize()
            await everything(session, "streamable HTTP")
    finally:
        server.terminate()
        server.wait()


if __name__ == "__main__":
    program, repo = sys.argv[1:3]
    asyncio.run(over_stdio(program, repo))
    asyncio.run(over_http(program, repo))
