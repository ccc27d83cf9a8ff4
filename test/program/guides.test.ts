import { spawn } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { clientProgram, createDevices, type TestDevice } from "./client-process.ts";
import { walkOf, type GuideWalk } from "./guide-walk.ts";
import { createBench, linksIn } from "./server-process.ts";

/*
 * Each page is walked as its reader walks it: every command that it has, in its words, on real devices
 * and a real server. One that is added to a page has to be run here too.
 */

const bench = createBench();
const devices = createDevices();
const desk = devices.device("desk");
const laptop = devices.device("laptop");
const grace = devices.device("thinkpad");
const session = fileURLToPath(new URL("../fixtures/sessions/review-page.jsonl", import.meta.url));
let url = "";

beforeAll(async () => {
  const server = await bench.serve({ args: ["--port", "0", "--data-dir", bench.folder()] });
  ({ url } = server);
  await vi.waitUntil(() => linksIn(server.stdout()).length === 1);
  // As `npm start` does.
  await desk.json("pair", linksIn(server.stdout())[0] ?? "", "--name", "desk", "--user", "ada");
});

afterAll(async () => {
  await bench.clear();
  devices.clear();
});

interface Linked {
  readonly link: string;
}

interface Id {
  readonly id: string;
}

/** Runs a command, expects that it works, and gives what it printed. */
async function run(device: TestDevice, args: readonly string[], stdin = ""): Promise<string> {
  const { code, stdout, stderr } = await device.run(args, stdin);
  if (code !== 0) throw new Error(`tidemark ${args.join(" ")}: ${code} ${stdout} ${stderr}`);
  return stdout;
}

/** A device that shows a code: the code, and its end. */
async function showingCode(device: TestDevice, args: readonly string[]) {
  const { PATH = "" } = process.env;
  const env = { PATH, HOME: "/nonexistent", TIDEMARK_HOME: device.home, TIDEMARK_KEYCHAIN: "off" };
  const child = spawn(process.execPath, [clientProgram, ...args], { env, cwd: device.folder });
  let said = "";
  child.stderr.on("data", (chunk: Buffer) => (said += chunk.toString()));
  child.stdin.end();
  const ended = new Promise<number | null>((resolve) => {
    child.once("close", resolve);
  });
  await vi.waitUntil(() => /Code {3}\S+/.test(said), { timeout: 20_000 });
  return { code: /Code {3}(\S+)/.exec(said)?.[1] ?? "", ended };
}

function expectWalked(walk: GuideWalk): void {
  expect(walk.left()).toEqual([]);
}

test("[CL63] the guide of one person with two laptops is walked", async () => {
  const walk = walkOf("docs/guides/solo.md");
  const { link } = await desk.json<Linked>(...walk.take("device add"));
  await run(laptop, walk.take("pair <link>", { "<link>": link }));
  expect(await run(laptop, walk.take("status"))).toContain(url);
  const third = devices.device("third");
  const asking = walk.take("pair http://192.168.1.10:8420", { "http://192.168.1.10:8420": url });
  const shown = await showingCode(third, [...asking, "--yes"]);
  const approve = walk.take("approve", { "WDJB-MJHT-7KQ2XN": shown.code });
  await run(desk, [...approve, "--yes"]);
  expect(await shown.ended).toBe(0);
  const ci = await desk.json<Linked>(...walk.take("device add --ci"));
  await run(devices.device("runner"), ["pair", ci.link]);
  await run(desk, walk.take("device add --ci"));
  const saved = await desk.json<Id>(...walk.take("save"));
  expect(await run(desk, walk.take("search node"))).toContain("The build needs Node 20");
  const login = ["--title", "The login keeps a cookie", "--file", "src/http/auth.ts"];
  await desk.json("save", ...login);
  expect(await run(desk, walk.take("search login"))).toContain("The login keeps a cookie");
  expect(await run(desk, walk.take("list"))).toContain("The build needs Node 20");
  await run(desk, walk.take("pin", { ID: saved.id }));
  await run(desk, walk.take("archive", { ID: saved.id }));
  await run(desk, [...walk.take("forget", { ID: saved.id }), "--yes"]);
  await run(desk, walk.take("conflicts"));
  await run(desk, walk.take("sync"));
  await run(desk, walk.take("outbox list"));
  expectWalked(walk);
});

test("[CL63] the guide of a team is walked", async () => {
  const walk = walkOf("docs/guides/team.md");
  await run(desk, walk.take("namespace create"));
  const open = await desk.json<Linked>(...walk.take("namespace invite harbour --role"));
  await run(devices.device("dana"), ["pair", open.link, "--user", "dana", "--name", "dana-1"]);
  const held = await desk.json<Linked>(...walk.take("namespace invite harbour --for"));
  const joining = walk.take("pair <link>", { "<link>": held.link });
  expect(await run(grace, [...joining, "--name", "thinkpad"])).toContain("waits");
  expect(await run(desk, walk.take("namespace members"))).toContain("grace");
  await run(desk, [...walk.take("namespace confirm"), "--yes"]);
  await run(grace, ["sync"]);
  await run(grace, ["save", "--namespace", "harbour", "--title", "Grace was here"]);
  await run(grace, ["sync"]);
  await run(desk, walk.take("namespace use harbour"));
  await run(desk, walk.take("namespace use personal"));
  await run(desk, walk.take("save"));
  expect(await run(desk, walk.take("namespace members"))).toContain("grace");
  await run(desk, walk.take("namespace role"));
  await run(desk, ["sync"]);
  await run(desk, walk.take("quarantine --device thinkpad --since"));
  await run(desk, walk.take("quarantine --device thinkpad --lift"));
  await run(desk, walk.take("quarantine"));
  await run(desk, [...walk.take("namespace remove"), "--yes"]);
  expectWalked(walk);
  const signingIn = walkOf("docs/guides/oidc.md");
  expect(await run(desk, signingIn.take("console"))).toContain(`${url}/console`);
  await run(desk, [...signingIn.take("namespace remove"), "--yes"]);
  expectWalked(signingIn);
});

test("[CL63] the guide of encrypted namespaces is walked", async () => {
  const walk = walkOf("docs/guides/encrypted.md");
  const { link } = await desk.json<Linked>("device", "add", "--ttl", "2h");
  const desktop = devices.device("desktop");
  await desktop.json("pair", link, "--name", "desktop");
  const made = await desk.json<Id & { readonly recoveryCode: string }>(
    ...walk.take("namespace create"),
  );
  const named = { "nse_…": made.id };
  await run(desktop, ["sync"]);
  expect(await run(desktop, walk.take("namespace list"))).toContain("nse_");
  const waits = await desktop.json<{ readonly fingerprint: string }>(
    ...walk.take("namespace admit nse_…", named),
  );
  // Without a person who compares fingerprints it says who waits, and lets nobody in.
  const { code, stderr } = await desk.run(walk.take("namespace admit vault"));
  expect([code, stderr]).toEqual([1, expect.stringContaining("desktop")]);
  const print = { "xxxx-xxxx-xxxx-xxxx-xxxx": waits.fingerprint };
  await run(desk, walk.take("namespace admit vault --device", print));
  const invited = await desk.json<Linked>("namespace", "invite", "vault");
  const pc = devices.device("grace-pc");
  await pc.json("pair", invited.link, "--name", "grace-pc", "--user", "grace");
  const theirs = await pc.json<{ readonly device: string; readonly fingerprint: string }>("namespace", "admit", made.id); // prettier-ignore
  await desk.json("namespace", "admit", "vault", "--device", theirs.device, "--fingerprint", theirs.fingerprint); // prettier-ignore
  expect(await run(desk, walk.take("namespace role vault"))).toContain("may let others in");
  const again = await desk.json<Linked>("device", "add", "--ttl", "2h");
  const newcomer = devices.device("newcomer");
  await newcomer.json("pair", again.link, "--name", "newcomer");
  await run(newcomer, walk.take("namespace recover", named), `${made.recoveryCode}\n`);
  expectWalked(walk);
});

test("[CL63] the guide of agents is walked, but for what other programs do", async () => {
  const walk = walkOf("docs/guides/agents.md");
  const home = join(devices.device("agents").folder, "user");
  mkdirSync(join(home, ".claude"), { recursive: true });
  const device = devices.device("agents", { HOME: home });
  await run(device, walk.take("install"));
  await run(device, [...walk.take("install --all"), "--yes"]);
  await run(device, [...walk.take("install claude-code"), "--yes"]);
  await run(device, [...walk.take("uninstall --all"), "--yes"]);
  await device.json("import", session);
  await run(desk, ["import", session]);
  // Where no session of the project asked for anything, the task has to be said.
  for (const beginning of ["handoff", "handoff --next"]) {
    await run(desk, [...walk.take(beginning), "--task", "Mend the queue"]);
  }
  const toDana = await desk.run(walk.take("handoff --to"));
  // Nobody of that name is here; the refusal knows the option, and says who there is.
  expect([toDana.code, toDana.stderr]).toEqual([1, expect.stringContaining("dana")]);
  await run(desk, walk.take("lifecycle --dry-run"));
  await run(desk, walk.take("lifecycle"));
  writeFileSync(join(device.folder, "sum.mjs"), "console.log('It shipped.');");
  const summariser = `'${process.execPath}' '${join(device.folder, "sum.mjs")}'`;
  writeFileSync(join(device.home, "config.json"), JSON.stringify({ summariser }), { mode: 0o600 });
  await run(device, walk.take("summarise --dry-run"));
  await run(device, walk.take("summarise"));
  await run(device, walk.take("summarise --cost"));
  expectWalked(walk);
});

test("[CL63] the guides of scrubbing and of bringing memory in are walked", async () => {
  const scrubbing = walkOf("docs/guides/scrubbing.md");
  const device = devices.device("scrubbing");
  const log = "the build is green\n";
  expect(await run(device, scrubbing.take("scrub --explain"), log)).toContain("green");
  await run(device, scrubbing.take("scrub --findings-only"), log);
  for (const folder of ["src", "test"]) mkdirSync(join(device.folder, folder));
  writeFileSync(join(device.folder, "src", "main.ts"), "export {};\n");
  await run(device, scrubbing.take("scrub --check src"));
  const sarif = await run(device, scrubbing.take("scrub --check --format"));
  expect(JSON.parse(sarif)).toMatchObject({ version: "2.1.0" });
  mkdirSync(join(device.folder, ".tidemark"));
  writeFileSync(join(device.folder, ".tidemark", "scrub.toml"), 'literals = ["harbour-7"]\n');
  // To less scrubbing only a person agrees, in a terminal.
  const { code, stderr } = await device.run(scrubbing.take("scrub --trust"));
  expect([code, stderr]).toEqual([1, expect.stringContaining("only a person can agree")]);
  expectWalked(scrubbing);
  const importing = walkOf("docs/guides/import.md");
  await run(device, importing.take("import"));
  const path = join(device.folder, "old.jsonl");
  writeFileSync(path, readFileSync(session));
  await run(device, importing.take("import PATH --dry-run", { PATH: path }));
  await run(device, importing.take("import PATH", { PATH: path }));
  const { id } = await device.json<{ id: string }>("save", "--title", "kept");
  const gone = await device.json<{ id: string }>("save", "--title", "goes");
  const EXPORT = join(device.folder, "export.jsonl");
  await device.json("export", "--output", EXPORT);
  const forgotten = { id: gone.id, collection: "observation", forgotten: true };
  const lines = readFileSync(EXPORT, "utf8").trimEnd().split("\n");
  const newer = lines.map((line) => line.replace('"kept"', '"kept well"'));
  const rest = newer.filter((line) => !line.includes(gone.id));
  writeFileSync(EXPORT, [...rest, JSON.stringify(forgotten)].join("\n"));
  for (const [words, code] of [
    ["import EXPORT --differing newer --dry-run", 1],
    ["import EXPORT --differing newer", 1],
    ["import EXPORT --differing file", 1],
    ["import EXPORT --forget", 0],
  ] as const) {
    expect([words, (await device.run(importing.take(words, { EXPORT }))).code]).toEqual([
      words,
      code,
    ]);
  }
  expect(await run(device, ["show", id])).toContain("kept well");
  expect((await device.run(["show", gone.id])).code).toBe(1);
  expectWalked(importing);
});
