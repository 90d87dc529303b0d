// Lists and calls every tool with the official TypeScript MCP client, over stdio and streamable HTTP.
// usage: node typescript_client.mjs CONTEXTD REPO, where @modelcontextprotocol/sdk can be found
import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { createServer } from "node:net";
import { pathToFileURL } from "node:url";

// The SDK may lie where the command is run rather than beside this file.
const find = createRequire(process.cwd() + "/");
const load = async (name) => import(pathToFileURL(find.resolve(name)));
const { Client } = await load("@modelcontextprotocol/sdk/client/index.js");
const { StdioClientTransport } = await load("@modelcontextprotocol/sdk/client/stdio.js");
const { StreamableHTTPClientTransport } = await load("@modelcontextprotocol/sdk/client/streamableHttp.js");

const [program, repo] = process.argv.slice(2);
const given = JSON.parse(readFileSync(new URL("arguments.json", import.meta.url)));

async function everything(transport, way) {
  const client = new Client({ name: "check", version: "1" });
  await client.connect(transport);
  const { tools } = await client.listTools();
  const refused = [];
  const made = await client.callTool({ name: "context_pack_create", arguments: given.context_pack_create });
  for (const tool of tools) {
    const input = JSON.parse(JSON.stringify(given[tool.name] ?? {}).replaceAll("$PACK", made.structuredContent.packId));
    const result = await client.callTool({ name: tool.name, arguments: input });
    if (!result.content.length) throw new Error(`${tool.name} answers nothing`);
    if (result.isError) refused.push(tool.name);
  }
  const { resources } = await client.listResources();
  for (const resource of resources) await client.readResource({ uri: resource.uri });
  const { prompts } = await client.listPrompts();
  for (const prompt of prompts) await client.getPrompt({ name: prompt.name, arguments: prompt.name === "refactor_safely" ? { symbol: "main" } : {} });
  await client.close();
  console.log(`${way}: ${tools.length} tools called, ${resources.length} resources read, ${prompts.length} prompts; refused: ${refused.join(", ") || "none"}`);
}

const freePort = () => new Promise((done) => {
  const probe = createServer().listen(0, "127.0.0.1", () => {
    const { port } = probe.address();
    probe.close(() => done(port));
  });
});

await everything(new StdioClientTransport({ command: program, args: ["serve", "--stdio", "--tools", "all", "--repo", repo] }), "stdio");
const port = await freePort();
const server = spawn(program, ["-q", "serve", "--http", `127.0.0.1:${port}`, "--tools", "all", "--repo", repo]);
try {
  for (let tries = 0; tries < 200; tries++) {
    try {
      await fetch(`http://127.0.0.1:${port}/health`);
      break;
    } catch {
      await new Promise((done) => setTimeout(done, 50));
    }
  }
  await everything(new StreamableHTTPClientTransport(new URL(`http://127.0.0.1:${port}/mcp`)), "streamable HTTP");
} finally {
  server.kill();
}
