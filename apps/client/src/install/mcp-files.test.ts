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
