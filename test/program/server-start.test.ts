import { spawnSync } from "node:child_process";
import { existsSync, readFileSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { ask, claimServer, outcome, post } from "../../apps/server/src/http/testing/client.ts";
import {
  createBench,
  freePort,
  linksIn,
  postmasterPid,
  serverAt,
  serverProgram,
  type Bench,
  type Ended,
} from "./server-process.ts";

let bench: Bench;
beforeEach(() => {
  bench = createBench();
});
afterEach(async () => {
  await bench.clear();
});

/** Asks for a setup link on a data directory, whether a server runs on it or not. */
async function setupLink(
  dataDir: string,
  ...more: readonly string[]
): Promise<{ ended: Ended; link: string }> {
  const args = ["setup-link", "--json", "--data-dir", dataDir, ...more];
  const ended = await bench.run({ args });
  const link = ended.code === 0 ? (JSON.parse(ended.stdout) as { link: string }).link : "";
  return { ended, link };
}

test("[OPS65] the first start prints one setup link, and until it is used nothing else is served (abuse 1, 8)", async () => {
  const dataDir = bench.folder();
  const running = await bench.serve({ args: ["--port", "0", "--data-dir", dataDir] });
  await expect.poll(() => linksIn(running.stdout())).toHaveLength(1);
  const [link = ""] = linksIn(running.stdout());
  expect(link).toMatch(new RegExp(`^${running.url}/#s=`));
  const server = serverAt(running.url, link);
  for (const path of ["/v1/devices", "/v1/pokes", "/v1/unknown", "/"]) {
    expect(await outcome(await ask(server, path))).toBe("503 setup-required");
  }
  expect(await outcome(await post(server, "/v1/join", {}))).toBe("503 setup-required");
  expect((await ask(server, "/healthz")).status).toBe(200);
  expect((await ask(server, "/readyz")).status).toBe(200);

  const owner = await claimServer(server);
  expect((await owner.hello()).namespaces).toHaveLength(1);
  expect(await outcome(await post(server, "/v1/setup", claimRequest(link, owner.device.key)))).toBe(
    "409 already-claimed",
  );
  expect(await outcome(await ask(server, "/v1/unknown"))).toBe("404 not-found");
  expect(statSync(dataDir).mode & 0o077).toBe(0);
  running.kill("SIGTERM");
  const ended = await running.ended;
  expect(ended.code).toBe(0);
  const secret = link.split("#s=")[1] ?? "";
  expect(`${ended.stderr}${readFileSync(join(dataDir, "instance.json"), "utf8")}`).not.toContain(
    secret,
  );

  const again = await bench.serve({ args: ["--port", "0", "--data-dir", dataDir] });
  again.kill("SIGTERM");
  expect(linksIn((await again.ended).stdout)).toEqual([]);
});

function claimRequest(link: string, key: object): object {
  return {
    secret: link.split("#s=")[1],
    user: { name: "eve" },
    device: { name: "eve", platform: "linux", key },
  };
}

test("[OPS24] setup-link prints a link while the server runs, beside the one of the start", async () => {
  const dataDir = bench.folder();
  const running = await bench.serve({ args: ["--port", "0", "--data-dir", dataDir] });
  await expect.poll(() => linksIn(running.stdout())).toHaveLength(1);
  const [first = ""] = linksIn(running.stdout());
  const { ended, link } = await setupLink(dataDir);
  expect(ended).toMatchObject({ code: 0, stderr: "" });
  expect(Object.keys(JSON.parse(ended.stdout) as object)).toEqual(["link"]);
  expect(link).toMatch(new RegExp(`^${running.url}/#s=`));
  expect(link).not.toBe(first);
  const owner = await claimServer(serverAt(running.url, first));
  expect((await owner.hello()).user?.name).toBe("ada");
  await expect(claimServer(serverAt(running.url, link))).rejects.toThrow("409 already-claimed");
  const late = await setupLink(dataDir);
  expect(late.ended).toMatchObject({ code: 1, stdout: "" });
  expect(JSON.parse(late.ended.stderr)).toMatchObject({ error: { code: "already-claimed" } });
});

test("[OPS24] a link that setup-link printed while no server ran opens it after the next start", async () => {
  const dataDir = bench.folder();
  const address = ["--port", String(await freePort())];
  const { ended, link } = await setupLink(dataDir, ...address);
  expect(ended).toMatchObject({ code: 0, stderr: "" });
  expect(existsSync(join(dataDir, "postgres", "data", "PG_VERSION"))).toBe(true);
  expect(existsSync(join(dataDir, "postgres", "data", "postmaster.pid"))).toBe(false);
  const spoken = await bench.run({ args: ["setup-link", "--data-dir", dataDir, ...address] });
  expect(spoken.stdout).toContain("start it first: tidemark-server serve\n");

  const running = await bench.serve({ args: ["--data-dir", dataDir, ...address] });
  await expect.poll(() => linksIn(running.stdout())).toHaveLength(1);
  expect(link).toMatch(new RegExp(`^${running.url}/#s=[\\w-]{20,}$`));
  const owner = await claimServer(serverAt(running.url, link));
  expect((await owner.hello()).user?.name).toBe("ada");
});

test("[AU1] links that two starts printed within the hour both count, until one was used", async () => {
  const dataDir = bench.folder();
  const args = ["--port", String(await freePort()), "--data-dir", dataDir];
  const first = await bench.serve({ args });
  await expect.poll(() => linksIn(first.stdout())).toHaveLength(1);
  first.kill("SIGTERM");
  await first.ended;
  const second = await bench.serve({ args });
  await expect.poll(() => linksIn(second.stdout())).toHaveLength(1);
  const [old, fresh] = [first, second].map((start) => linksIn(start.stdout())[0] ?? "");
  expect(old).not.toBe(fresh);
  await claimServer(serverAt(second.url, old));
  await expect(claimServer(serverAt(second.url, fresh))).rejects.toThrow("409 already-claimed");
});

test("[OPS20] a port that is taken and a folder that is none are told with the way out", async () => {
  const dataDir = bench.folder();
  const first = await bench.serve({ args: ["--port", "0", "--data-dir", dataDir] });
  const { port } = new URL(first.url);
  const taken = await bench.run({ args: ["serve", "--port", port, "--data-dir", bench.folder()] });
  expect(taken).toMatchObject({ code: 1, stdout: "" });
  expect(taken.stderr).toContain(`error: port ${port} of 127.0.0.1 is in use\n`);
  expect(taken.stderr).toContain("or choose another --port\n");
  const file = join(dataDir, "instance.json");
  expect(await bench.run({ args: ["setup-link", "--data-dir", file] })).toEqual({
    code: 1,
    stdout: "",
    stderr: `error: cannot use ${file}: there is a file of that name\nhint: let this user write to the data directory, or choose another --data-dir\n`,
  });
});

test("[OPS2] what PostgreSQL says of its daily life is logged at debug alone", async () => {
  const said = async (...more: readonly string[]): Promise<readonly string[]> => {
    const running = await bench.serve({ args: ["--port", "0", "--data-dir", dataDir, ...more] });
    running.kill("SIGTERM");
    await running.ended;
    const lines = running.stderr().trim().split("\n");
    return lines.map((line) => (JSON.parse(line) as { event: string }).event);
  };
  const dataDir = bench.folder();
  expect(await said()).toEqual(["postgres-started", "shutdown-begun", "shutdown-ended"]);
  expect(await said("--log-level", "debug")).toContain("postgres");
});

test("[OPS20] behind a proxy the server says where it listens and what devices call it", async () => {
  const args = ["--port", "0", "--data-dir", bench.folder()];
  const named = "https://tidemark.example.com";
  const running = await bench.serve({ args: [...args, "--public-url", named] });
  expect(running.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
  expect((await fetch(`${running.url}/readyz`)).status).toBe(200);
  const [first] = running.stdout().split("\n");
  expect(first).toBe(`Tidemark listens on ${running.url} and is known to devices as ${named}`);
  await expect.poll(() => linksIn(running.stdout())).toHaveLength(1);
  expect(linksIn(running.stdout())[0]).toMatch(/^https:\/\/tidemark\.example\.com\/#s=/);
});

test("[OPS66] a second server on the same folder is refused and told who holds it", async () => {
  const dataDir = bench.folder();
  const first = await bench.serve({ args: ["--port", "0", "--data-dir", dataDir] });
  const second = await bench.run({ args: ["serve", "--port", "0", "--data-dir", dataDir] });
  expect(second).toMatchObject({ code: 1, stdout: "" });
  const lines = second.stderr.split("\n");
  expect(lines.find((line) => line.startsWith("error: "))).toContain(`(process ${first.pid})`);
  expect(lines.find((line) => line.startsWith("hint: "))).toContain(`kill ${first.pid}`);
  expect((await fetch(`${first.url}/readyz`)).status).toBe(200);
});

test("[OPS23] all wrong settings are told at once, before anything is touched", async () => {
  const dataDir = join(bench.folder(), "never-made");
  const { code, stdout, stderr } = await bench.run({
    args: ["serve", "--data-dir", dataDir, "--port", "99999", "--public-url", "http://a.example"],
    env: { DATABASE_URL: "mysql://u:hunter2@h/db", TIDEMARK_LOG_LEVEL: "loud" },
  });
  expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
  const errors = stderr.split("\n").filter((line) => line.startsWith("error: "));
  for (const name of ["--port", "--public-url", "DATABASE_URL", "TIDEMARK_LOG_LEVEL"]) {
    expect(errors.filter((line) => line.includes(name))).toHaveLength(1);
  }
  expect(stderr).not.toContain("hunter2");
  expect(existsSync(dataDir)).toBe(false);
});

test("[OPS72] owner-reset lets a device of the owner in, while the server runs and before it does (abuse 80)", async () => {
  const dataDir = bench.folder();
  const args = ["--port", String(await freePort()), "--data-dir", dataDir];
  const reset = ["owner-reset", "--json", ...args];
  const early = await bench.run({ args: reset });
  expect(early).toMatchObject({ code: 1, stdout: "" });
  expect(early.stderr).toContain("no-server-here");
  const first = await bench.serve({ args });
  await expect.poll(() => linksIn(first.stdout())).toHaveLength(1);
  expect((await bench.run({ args: reset })).stderr).toContain("setup-required");
  const owner = await claimServer(serverAt(first.url, linksIn(first.stdout())[0]));
  await owner.call("DELETE", `/v1/devices/${owner.admission.device.id}?force=true`);
  const printed = await bench.run({ args: reset });
  expect(printed).toMatchObject({ code: 0, stderr: "" });
  const { link } = JSON.parse(printed.stdout) as { link: string };
  const back = await claimServer(serverAt(first.url, link), "somebody");
  expect(back.admission.user).toEqual(owner.admission.user);
  first.kill("SIGTERM");
  await first.ended;

  const spoken = await bench.run({ args: ["owner-reset", ...args] });
  expect(spoken.stdout).toMatch(/is in as "ada", the owner[^]+does not run; start it first/);
  const second = await bench.serve({ args });
  const late = await claimServer(serverAt(second.url, linksIn(spoken.stdout)[0]), "late");
  expect(late.admission.user).toEqual(owner.admission.user);
});

test("[OPS67] after keys rotate a new key signs, and tokens of the old one stay good", async () => {
  const dataDir = bench.folder();
  const args = ["--port", String(await freePort()), "--data-dir", dataDir];
  const first = await bench.serve({ args });
  await expect.poll(() => linksIn(first.stdout())).toHaveLength(1);
  const owner = await claimServer(serverAt(first.url, linksIn(first.stdout())[0]));
  const rotate = ["keys", "rotate", "--data-dir", dataDir];
  const soon = await bench.run({ args: rotate });
  expect(soon.stdout).toMatch(/^Key \S+ signs in 24 h; --now does not wait\.\n$/);
  const rotated = await bench.run({ args: [...rotate, "--now", "--json"] });
  expect(rotated).toMatchObject({ code: 0, stderr: "" });
  const { kid } = JSON.parse(rotated.stdout) as { kid: string };
  expect(soon.stdout).toContain(kid);
  first.kill("SIGTERM");
  await first.ended;

  const second = await bench.serve({ args });
  expect(second.url).toBe(first.url);
  const jwks = (await (await fetch(`${second.url}/.well-known/jwks.json`)).json()) as {
    keys: readonly { kid: string; d?: string }[];
  };
  expect(jwks.keys.map((key) => key.kid)).toContain(kid);
  // The old one, the one that signs, and the one that waits.
  expect(jwks.keys).toHaveLength(3);
  expect(jwks.keys.some((key) => key.d !== undefined)).toBe(false);
  expect((await owner.hello()).user?.name).toBe("ada");
  const again = await bench.run({ args: [...rotate, "--now", "--revoke", kid] });
  expect(again.stdout).toMatch(/^Tokens by \S+ are refused from now on\.\nSigning key: \S+\n$/);
  expect((await owner.hello()).user?.name).toBe("ada");
  const unknown = await bench.run({ args: [...rotate, "--revoke", kid] });
  expect(unknown).toMatchObject({ code: 1, stdout: "" });
  expect(unknown.stderr).toContain("hint: the keys are ");
});

test("[OPS4] a folder that remembers an owner refuses an empty database, unless told it is lost (abuse 5)", async () => {
  const dataDir = bench.folder();
  const args = ["--port", "0", "--data-dir", dataDir];
  const first = await bench.serve({ args });
  await expect.poll(() => linksIn(first.stdout())).toHaveLength(1);
  await claimServer(serverAt(first.url, linksIn(first.stdout())[0]));
  first.kill("SIGTERM");
  await first.ended;
  rmSync(join(dataDir, "postgres"), { recursive: true });

  const refused = await bench.run({ args: ["serve", ...args] });
  expect(refused).toMatchObject({ code: 1, stdout: "" });
  expect(refused.stderr).toContain("error: this server has an owner, but its database is empty\n");
  expect(refused.stderr).toContain("--i-have-lost-my-database");
  expect(postmasterPid(dataDir)).toBeUndefined();
  const { ended: linkRefused } = await setupLink(dataDir);
  expect(linkRefused).toMatchObject({ code: 1, stdout: "" });

  const anew = await bench.serve({ args: [...args, "--i-have-lost-my-database"] });
  await expect.poll(() => linksIn(anew.stdout())).toHaveLength(1);
});

test("[OPS20] the program runs without node before it", () => {
  const { status, stdout } = spawnSync(serverProgram, ["--version"], { encoding: "utf8" });
  expect({ status, stdout }).toEqual({
    status: 0,
    stdout: expect.stringMatching(/^\d+\.\d+\.\d+\n$/),
  });
});
