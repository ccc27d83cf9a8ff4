/** What a project's own scrub file takes out, where its transcripts are imported from elsewhere. */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { createDevices } from "./client-process.ts";

const devices = createDevices();
const literal = "moonshot-seven";

afterAll(() => {
  devices.clear();
});

interface Listed {
  readonly items: readonly { readonly title: string; readonly project: string }[];
}

function claudeLines(cwd: string): readonly object[] {
  const line = (uuid: string, type: string, message: object): object => ({
    type,
    uuid,
    sessionId: "s-1",
    cwd,
    timestamp: "2026-03-01T10:00:00.000Z",
    message,
  });
  return [
    line("u1", "user", { role: "user", content: `Remember that ${literal} ships in May` }),
    line("u2", "assistant", { role: "assistant", content: [{ type: "text", text: "Noted." }] }),
  ];
}

function codexLines(cwd: string): readonly object[] {
  const timestamp = "2026-03-01T10:00:00.000Z";
  const content = [{ type: "input_text", text: `Remember that ${literal} ships in May` }];
  return [
    { timestamp, type: "session_meta", payload: { id: "s-2", cwd } },
    { timestamp, type: "response_item", payload: { type: "message", role: "user", content } },
  ];
}

test.each([
  ["Claude Code", claudeLines],
  ["Codex", codexLines],
])(
  "[CP99] a transcript of %s is scrubbed by the settings of its own folder",
  async (name, lines) => {
    const device = devices.device(name);
    const project = join(device.folder, "..", "other project");
    mkdirSync(join(project, ".tidemark"), { recursive: true });
    mkdirSync(join(project, ".git"));
    writeFileSync(join(project, ".tidemark", "scrub.toml"), `literals = ["${literal}"]\n`);
    const file = join(device.folder, "session.jsonl");
    writeFileSync(
      file,
      lines(project)
        .map((line) => JSON.stringify(line))
        .join("\n"),
    );
    await device.json("import", file);
    const { items } = await device.json<Listed>("list", "--all");
    expect(items.map(({ title }) => title).join("\n")).toMatch(/__SECRET_\w+ ships in May/u);
    for (const each of readdirSync(device.home, { recursive: true, withFileTypes: true })) {
      if (!each.isFile()) continue;
      expect(readFileSync(join(each.parentPath, each.name)).includes(literal)).toBe(false);
    }
    // A file that is broken is told, and nothing is taken in with less scrubbing than was asked for.
    writeFileSync(join(project, ".tidemark", "scrub.toml"), "literals = [");
    const broken = devices.device(`${name} broken`);
    expect(await broken.error("import", file)).toMatchObject({ code: "bad-scrub-settings" });
    expect((await broken.json<Listed>("list", "--all")).items).toEqual([]);
  },
);
