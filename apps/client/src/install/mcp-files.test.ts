import { parse } from "smol-toml";
import { expect, test } from "vitest";
import type { AgentFile } from "./agent-setup.ts";
import { mcpFile } from "./mcp-entry.ts";
import { tomlMcpFile } from "./toml-block.ts";

const entry = { command: "/h/bin/tidemark", args: ["mcp"] };
const json = mcpFile({ path: "/m.json", at: ["mcpServers"], entry });
const toml = tomlMcpFile("/c.toml", entry);

function done(result: ReturnType<AgentFile["install"]>): string {
  if (!result.ok) throw new Error(result.error.message);
  return result.value;
}

test("[IN2] the server is put beside the others, and what a person added to it stays", () => {
  const other = { command: "npx", args: ["x"] };
  const old = { command: "node", args: ["/x/client/dist/main.js", "mcp"], disabled: true };
  const before = JSON.stringify({ mcpServers: { other, tidemark: old } }, null, 2);
  const after = done(json.install(before));
  expect(JSON.parse(after)).toEqual({
    mcpServers: { other, tidemark: { ...entry, disabled: true } },
  });
  expect(done(json.install(after))).toBe(after);
});

test("[IN4] uninstalling takes the server out, and the list where it was alone in it", () => {
  expect(JSON.parse(done(json.uninstall(done(json.install("")))))).toEqual({});
  const others = '{\n  "mcpServers": {\n    "other": {\n      "command": "x"\n    }\n  }\n}\n';
  expect(done(json.uninstall(done(json.install(others))))).toBe(others);
});

test.each([{ command: "other", args: ["serve"] }, { url: "https://x.example" }, "text"])(
  "[IN5] another server of the name is left alone: %j",
  (foreign) => {
    const text = JSON.stringify({ mcpServers: { tidemark: foreign } });
    expect(json.install(text)).toMatchObject({ ok: false, error: { hint: expect.any(String) } });
    expect(json.uninstall(text)).toEqual({ ok: true, value: text });
  },
);

test.each(['{"mcpServers":"none"}', '{"mcpServers":[]}', '{"mcpServers":7}'])(
  "[IN5] a list of servers that is none is told as such, and left alone: %s",
  (text) => {
    const message = expect.stringContaining('"mcpServers" is not what the agent reads') as string;
    expect(json.install(text)).toMatchObject({ ok: false, error: { message } });
    expect(json.uninstall(text)).toEqual({ ok: true, value: text });
  },
);

test("[IN2] a list of servers that is null becomes one", () => {
  const after = done(json.install('{"mcpServers":null}'));
  expect(JSON.parse(after)).toEqual({ mcpServers: { tidemark: entry } });
});

const settings = '# mine\nmodel = "o9" # good\n\n[features]\nhooks = true';

test("[IN2] TOML keeps every line that a person wrote, and says the same as before", () => {
  const after = done(toml.install(settings));
  expect(after.startsWith(`${settings}\n`)).toBe(true);
  expect(parse(after)).toEqual({ ...parse(settings), mcp_servers: { tidemark: entry } });
  expect(done(toml.install(after))).toBe(after);
});

test("[IN3] a block of an earlier version is replaced where it stands, whatever stands behind it", () => {
  const old =
    done(toml.install(settings)).replace("/h/bin/tidemark", "/old") + "\n[later]\na = 1\n";
  const after = done(toml.install(old));
  expect(parse(after)).toEqual({
    ...parse(settings),
    later: { a: 1 },
    mcp_servers: { tidemark: entry },
  });
});

test("[IN4] uninstalling from TOML gives back what was there", () => {
  const ended = `${settings}\n`;
  expect(done(toml.uninstall(done(toml.install(ended))))).toBe(ended);
  expect(done(toml.uninstall(done(toml.install(""))))).toBe("");
  expect(done(toml.uninstall(settings))).toBe(settings);
});

test.each([
  ["no TOML", "a = ", "no TOML"],
  ["a table of a person's", '[mcp_servers.tidemark]\ncommand = "x"', "already"],
  ["the same inline", 'mcp_servers = { tidemark = { command = "x" } }', "already"],
])("[IN5] %s is left alone with the reason", (_, text, reason) => {
  expect(toml.install(text)).toMatchObject({
    ok: false,
    error: { message: expect.stringContaining(reason) },
  });
});

test("[IN5] a file that takes no further table is left alone", () => {
  const closed = 'mcp_servers = { other = { command = "x" } }';
  expect(toml.install(closed)).toMatchObject({ ok: false });
});

// What Codex writes by itself, such as that it trusts a folder, comes before a comment at the end.
const written = [
  "",
  '[projects."/src/app"]',
  'trust_level = "trusted"',
  "",
  "# theirs",
  "[mcp_servers.other]",
  'command = "npx"',
  "# tidemark:end",
].join("\n");

test("[IN2, IN3, IN4] tables that the agent puts between the marks stay, at an install and an uninstall", () => {
  const first = done(toml.install(settings));
  const now = first.replace("# tidemark:end", written);
  const others = {
    ...parse(settings),
    projects: { "/src/app": { trust_level: "trusted" } },
    mcp_servers: { other: { command: "npx" } },
  };
  expect(done(toml.install(now))).toBe(now);
  const earlier = done(toml.install(now.replace("/h/bin/tidemark", "/old")));
  expect(parse(earlier)).toEqual({
    ...others,
    mcp_servers: { ...others.mcp_servers, tidemark: entry },
  });
  for (const text of [now, earlier]) {
    const out = done(toml.uninstall(text));
    expect(parse(out)).toEqual(others);
    expect(out).toContain("# theirs\n[mcp_servers.other]");
    expect(out).not.toContain("tidemark");
  }
});

test("[IN2, IN4] what was added to the server's own table stays with it, and goes with it", () => {
  const added = 'enabled = false\n\n[mcp_servers.tidemark.tools.save]\napproval_mode = "approve"\n';
  const now = done(toml.install(settings)).replace("# tidemark:end", `${added}# tidemark:end`);
  const after = done(toml.install(now.replace("/h/bin/tidemark", "/old")));
  const tools = { save: { approval_mode: "approve" } };
  expect(parse(after)["mcp_servers"]).toEqual({ tidemark: { ...entry, enabled: false, tools } });
  expect(done(toml.uninstall(after))).toBe(`${settings}\n`);
});

test("[IN2, IN5] where taking the server out would change what else the file says, it is left alone", () => {
  const now = `${done(toml.install(settings))}model_verbosity = "low"\n`;
  for (const verb of ["install", "uninstall"] as const) {
    const text = verb === "install" ? now.replace("/h/bin/tidemark", "/old") : now;
    const error = { hint: expect.any(String) as string };
    expect(toml[verb](text)).toMatchObject({ ok: false, error });
  }
});

test("[IN4] lines that end as on Windows end so afterwards", () => {
  const text = 'model = "o9"\r\n\r\n[features]\r\nhooks = true\r\n';
  const after = done(toml.install(text));
  expect(after.replaceAll("\r\n", "")).not.toContain("\n");
  expect(done(toml.uninstall(after))).toBe(text);
});
