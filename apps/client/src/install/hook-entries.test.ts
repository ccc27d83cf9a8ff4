import { expect, test } from "vitest";
import type { AgentFile } from "./agent-setup.ts";
import { hookFile } from "./hook-entries.ts";

const command = (event: string): string => `/h/bin/tidemark hook claude-code ${event}`;
const group = (event: string) => ({ hooks: [{ type: "command", command: command(event) }] });

const file: AgentFile = hookFile({
  path: "/s.json",
  agent: "claude-code",
  entries: ["SessionStart", "Stop"].map((event) => ({ event, group: group(event) })),
});

function done(result: ReturnType<AgentFile["install"]>): string {
  if (!result.ok) throw new Error(result.error.message);
  return result.value;
}

const installed = (text: string): string => done(file.install(text));
const uninstalled = (text: string): string => done(file.uninstall(text));
const hooksOf = (text: string): unknown => (JSON.parse(text) as { hooks?: unknown }).hooks;
const whole = { SessionStart: [group("SessionStart")], Stop: [group("Stop")] };

test("[IN2] hooks are added to what is there, and all else stays, comments included", () => {
  const before = `{
\t// mine
\t"permissions": { "allow": ["Bash(ls)"], },
\t"hooks": {
\t\t"Stop": [
\t\t\t// and this
\t\t\t{ "hooks": [{ "type": "command", "command": "say done" }] }
\t\t]
\t},
\t"z": 1e3
}
`;
  const after = installed(before);
  expect(after).toContain('\t// mine\n\t"permissions": { "allow": ["Bash(ls)"], },\n');
  expect(after).toContain('\t"z": 1e3\n}\n');
  expect(after).toContain("\t\t\t// and this\n");
  expect(after).toContain('"say done"');
  expect(after).toContain(command("Stop"));
  expect(after).toContain(command("SessionStart"));
});

test("[IN3] installing again changes nothing", () => {
  const once = installed("");
  expect(hooksOf(once)).toEqual(whole);
  expect(installed(once)).toBe(once);
});

test.each([
  "node /somewhere/apps/client/dist/main.js hook claude-code Stop",
  `'/with blank/tidemark' hook claude-code Stop`,
  "tidemark hook claude-code Stop",
])("[IN3] a hook that was written otherwise is replaced: %s", (old) => {
  const before = JSON.stringify({
    hooks: {
      Stop: [{ hooks: [{ type: "command", command: old }] }, group("Stop")],
      PreToolUse: [{ hooks: [{ type: "command", command: old }] }],
    },
  });
  expect(hooksOf(installed(before))).toEqual({ ...whole, PreToolUse: [] });
});

test("[IN3] of a group that has other handlers as well only the own one is replaced", () => {
  const other = { type: "command", command: "say done" };
  const old = { type: "command", command: "node /x/main.js hook claude-code Stop" };
  const before = JSON.stringify({ hooks: { Stop: [{ matcher: "x", hooks: [old, other] }] } });
  const { Stop } = hooksOf(installed(before)) as typeof whole;
  expect(Stop).toEqual([{ matcher: "x", hooks: [other] }, group("Stop")]);
});

test.each([
  ["another agent's hook", "tidemark hook codex Stop"],
  ["another program", "my-tidemark-like hook claude-codes Stop"],
  ["a word in passing", "echo tidemark; hook claude-code"],
])("[IN4] %s is not Tidemark's", (_, other) => {
  const text = JSON.stringify({ hooks: { Stop: [{ hooks: [{ command: other }] }] } });
  expect(uninstalled(text)).toBe(text);
});

test("[IN4] uninstalling gives back what was there", () => {
  const before = `{
  "hooks": {
    "Stop": [
      {
        "hooks": [
          {
            "type": "command",
            "command": "say done"
          }
        ]
      }
    ]
  },
  "model": "m"
}
`;
  expect(uninstalled(installed(before))).toBe(before);
  expect(uninstalled(before)).toBe(before);
  expect(JSON.parse(uninstalled(installed('{"a": 1}')))).toEqual({ a: 1 });
});

test("[IN4] an empty event that a person has left stays", () => {
  const before = '{\n  "hooks": {\n    "Notification": []\n  }\n}\n';
  expect(uninstalled(installed(before))).toBe(before);
});

test.each([
  ["no JSON", '{"hooks": ', "no JSON"],
  ["a JSON of another kind", "[1]", "no JSON object"],
  ["hooks of another shape", '{"hooks": []}', '"hooks"'],
  ["an event of another shape", '{"hooks": {"Stop": {}}}', '"hooks.Stop"'],
])("[IN5] %s is refused with the reason", (_, text, reason) => {
  for (const result of [file.install(text), file.uninstall(text)]) {
    expect(result).toMatchObject({
      ok: false,
      error: { message: expect.stringContaining(reason), hint: expect.stringContaining("mend") },
    });
  }
});

test("[IN2] line ends of Windows and a byte order mark stay", () => {
  const before = '\uFEFF{\r\n    "model": "m"\r\n}\r\n';
  const after = installed(before);
  expect(after.startsWith('\uFEFF{\r\n    "model": "m",\r\n')).toBe(true);
  expect(after.replaceAll("\r\n", "")).not.toContain("\n");
});
