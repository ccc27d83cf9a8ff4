import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import {
  githubClaims,
  startTestIssuer,
  type TestIssuer,
} from "../../apps/server/src/auth/testing/test-issuer.ts";
import { createDevices } from "./client-process.ts";
import { createBench, linksIn } from "./server-process.ts";

const bench = createBench();
const devices = createDevices();
const a = devices.device("laptop-a");
const folder = mkdtempSync(join(tmpdir(), "tidemark-ci-"));
let url = "";
let issuer: TestIssuer;
let actions: Server;
/** What the token that a job asks for says beside its audience. */
let claims: Readonly<Record<string, unknown>> = {};

beforeAll(async () => {
  issuer = await startTestIssuer(certificate());
  actions = createServer((request, response) => {
    void (async () => {
      const asked = new URL(request.url ?? "", "http://127.0.0.1");
      const isJob = request.headers.authorization === "Bearer of-the-job";
      const audience = asked.searchParams.get("audience") ?? "";
      const said = { claims: { ...githubClaims(audience), ...claims } };
      const value = await issuer.token(Date.now(), said);
      response.writeHead(isJob && asked.searchParams.get("api") === "2.0" ? 200 : 401);
      response.end(JSON.stringify({ count: value.length, value }));
    })();
  });
  await new Promise<void>((resolve) => actions.listen(0, "127.0.0.1", resolve));
  const server = await bench.serve({
    args: ["--port", "0", "--data-dir", bench.folder()],
    env: {
      TIDEMARK_JOB_ISSUERS: `github=${issuer.issuer}`,
      NODE_EXTRA_CA_CERTS: join(folder, "cert.pem"),
    },
  });
  url = server.url;
  await vi.waitUntil(() => linksIn(server.stdout()).length === 1);
  await a.json("pair", linksIn(server.stdout())[0] ?? "", "--name", "laptop-a", "--user", "ada");
  await a.json("namespace", "create", "crew");
});

afterAll(async () => {
  await bench.clear();
  devices.clear();
  actions.closeAllConnections();
  actions.close();
  await issuer.close();
  rmSync(folder, { recursive: true, force: true });
});

/** A certificate for this machine that nobody but who is told of it believes. */
function certificate(): { key: string; cert: string } {
  const [key, cert] = [join(folder, "key.pem"), join(folder, "cert.pem")];
  const subject = ["-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost"];
  const made = ["-newkey", "rsa:2048", "-nodes", "-days", "2", "-keyout", key, "-out", cert];
  execFileSync("openssl", ["req", "-x509", ...made, ...subject], { stdio: "ignore" });
  return { key: readFileSync(key, "utf8"), cert: readFileSync(cert, "utf8") };
}

/** A runner of GitHub's, which has nothing but what the service gives its job. */
function runner(name: string) {
  const { port } = actions.address() as AddressInfo;
  return devices.device(name, {
    GITHUB_ACTIONS: "true",
    GITHUB_RUN_ID: "4711",
    ACTIONS_ID_TOKEN_REQUEST_URL: `http://127.0.0.1:${port}/token?api=2.0`,
    ACTIONS_ID_TOKEN_REQUEST_TOKEN: "of-the-job",
  });
}

async function addRule(...argv: readonly string[]) {
  const rule = ["--oidc", "github", "--issuer", issuer.issuer, "--repo", "acme/app", ...argv];
  return await a.json<{ id: string; server: string }>(
    "device",
    "add",
    "--ci",
    "-n",
    "crew",
    ...rule,
  );
}

test("[PR19] a job pairs by its own token, remembers, and its team reads it as a machine's word", async () => {
  const rule = await addRule("--ref", "main");
  expect(rule).toMatchObject({ server: url, role: "writer", job: { ref: "refs/heads/main" } });
  const job = runner("job");
  const status = await job.json<{ device: { name: string } }>("pair", url, "--oidc");
  expect(status).toMatchObject({
    device: { name: "job-4711" },
    namespaces: [{}, { name: "crew" }],
  });
  // A second step of the job, or a runner that keeps its home, is in already.
  await job.json("pair", url, "--oidc");
  await job.json("save", "--namespace", "crew", "--title", "the build needs node 20");
  await job.json("sync");
  await a.json("sync");
  const { items } = await a.json<{ items: readonly { title: string; trust: number }[] }>(
    "list",
    "--all",
  );
  expect(items).toContainEqual(
    expect.objectContaining({
      title: "the build needs node 20",
      trust: 1,
      author: { user: "ada", device: "job-4711" },
    }),
  );
  const links = await a.run(["device", "links"]);
  expect(links.stdout).toContain("github acme/app (11) refs/heads/main");
  expect(links.stdout).toContain("1 job so far");
  const audit = await a.run(["audit"]);
  expect(audit.stdout).toContain("by the token of a job of acme/app refs/heads/main");
  await a.json("device", "unlink", rule.id, "--devices");
  expect(await job.error("sync")).toMatchObject({ code: "device-revoked" });
  expect(await runner("late").error("pair", url, "--oidc")).toMatchObject({
    code: "invalid-token",
    hint: expect.stringContaining("tidemark device links"),
  });
});

test("[PR19] a job of a fork's pull request, of another repository or without a token is told why, and nothing is kept", async () => {
  const { id } = await addRule();
  for (const other of [
    { event_name: "pull_request", sub: "repo:acme/app:pull_request", ref: "refs/pull/7/merge" },
    { repository: "eve/app", repository_id: "12" },
  ]) {
    claims = other;
    const job = runner(`other ${Object.keys(other).length}`);
    expect(await job.error("pair", url, "--oidc")).toMatchObject({ code: "invalid-token" });
    expect(await job.json("status")).toMatchObject({ device: null });
  }
  claims = {};
  const bare = devices.device("bare", { GITHUB_ACTIONS: "true" });
  const told = await bare.run(["pair", url, "--oidc"]);
  expect(told.stderr).toContain("`permissions: id-token: write` is missing");
  const lab = devices.device("lab", { GITLAB_CI: "true" });
  expect((await lab.run(["pair", url, "--oidc"])).stderr).toContain("`id_tokens:` are missing");
  expect((await devices.device("desk").run(["pair", url, "--oidc"])).stderr).toContain(
    "this is no job of GitHub Actions or GitLab CI",
  );
  // A service that hands the token over, by a variable or a file.
  const token = await issuer.token(Date.now(), { claims: githubClaims(url) });
  writeFileSync(join(folder, "token"), `${token}\n`, { mode: 0o600 });
  const given = devices.device("given");
  await given.json("pair", url, "--oidc", "--token-file", join(folder, "token"), "--link", id);
  const thief = devices.device("thief", { TIDEMARK_ID_TOKEN: token });
  expect(await thief.error("pair", url, "--oidc")).toMatchObject({ code: "invalid-token" });
});
