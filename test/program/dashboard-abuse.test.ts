import { spawnSync, type ChildProcess } from "node:child_process";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createDevices } from "./client-process.ts";
import { startDashboard } from "./dashboard-world.ts";

/*
 * What a page in the same browser, another person on the same machine and a rebound name can try on
 * the dashboard, byte by byte: a client's library would mend half of it before it is sent.
 */

const devices = createDevices();
const device = devices.device("attacked");
const running: ChildProcess[] = [];
const secret = "walrus of the ninth floor";
let link: URL;
let cookie = "";

beforeAll(async () => {
  await device.json("save", "--title", secret);
  const started = await startDashboard(device.home, device.folder);
  running.push(started.child);
  ({ link } = started);
});

afterAll(() => {
  for (const child of running) child.kill("SIGKILL");
  devices.clear();
});

/** Sends bytes as they are, and gives all that comes back within a second of silence. */
async function raw(text: string): Promise<{ readonly status: string; readonly text: string }> {
  return await new Promise((resolve, reject) => {
    const socket = connect(Number(link.port), link.hostname, () => socket.write(text));
    let got = "";
    const done = (): void => {
      socket.destroy();
      resolve({ status: /^HTTP\/1\.1 (\d{3})/.exec(got)?.[1] ?? "none", text: got });
    };
    socket.setTimeout(1_000, done);
    socket.on("data", (chunk: Buffer) => (got += chunk.toString()));
    socket.on("end", done);
    socket.on("error", reject);
  });
}

async function send(
  start: string,
  headers: readonly string[],
  body = "",
): Promise<{ readonly status: string; readonly text: string }> {
  const length = body === "" ? [] : [`Content-Length: ${body.length}`];
  const lines = [`${start} HTTP/1.1`, ...headers, ...length, "Connection: close", "", body];
  return await raw(lines.join("\r\n"));
}

const ours = (): readonly string[] => [`Host: ${link.host}`, `Cookie: ${cookie}`];

async function enter(): Promise<string> {
  const headers = [
    `Host: ${link.host}`,
    `Origin: ${link.origin}`,
    "Content-Type: application/json",
  ];
  const body = JSON.stringify({ token: link.hash.slice(1) });
  return (await send("POST /enter", headers, body)).text;
}

test("[DA2] the link is of use to nobody who reads processes or files, and works once (abuse 167)", async () => {
  const token = link.hash.slice(1);
  const listed = spawnSync("ps", ["-eo", "args"], { encoding: "utf8" });
  if (listed.status === 0) expect(listed.stdout).not.toContain(token);
  const files = readdirSync(device.home, { recursive: true, encoding: "utf8" })
    .map((name) => join(device.home, name))
    .filter((path) => statSync(path).isFile());
  expect(files.length).toBeGreaterThan(1);
  expect(files.filter((path) => readFileSync(path).includes(token))).toEqual([]);
  const first = await enter();
  expect(first).toMatch(/^HTTP\/1\.1 204/);
  expect(first).toMatch(/set-cookie: [^\r]*HttpOnly/i);
  expect(first).toMatch(/set-cookie: [^\r]*SameSite=Strict/i);
  cookie = /set-cookie: ([^;\r]+)/i.exec(first)?.[1] ?? "";
  expect(await enter()).toMatch(/^HTTP\/1\.1 401/);
  const page = await send("GET /memory", ours());
  expect([page.status, page.text.includes(secret)]).toEqual(["200", true]);
});

test("[DA1] a rebound name reads nothing, even with the cookie (abuse 165)", async () => {
  const { port } = link;
  const hosts = ["evil.example", `localhost.evil:${port}`, `127.0.0.1.nip.io:${port}`, `localhost:${port}`, "127.0.0.1", `[::1]:${port}`, `0x7f000001:${port}`, `127.0.0.1:0${port}`]; // prettier-ignore
  for (const host of hosts) {
    const { status, text } = await send("GET /memory", [`Host: ${host}`, `Cookie: ${cookie}`]);
    expect([host, status, text.includes(secret)]).toEqual([host, "421", false]);
  }
  const others = [
    await send("GET /memory", [`Host: ${link.host}.evil`, `Cookie: ${cookie}`]),
    await send("GET /memory", [`Cookie: ${cookie}`]),
    await send("GET /memory", [`Host: ${link.host}`, "Host: evil.example", `Cookie: ${cookie}`]),
    await send("GET /memory", ["Host: evil.example", `Host: ${link.host}`, `Cookie: ${cookie}`]),
    await send("GET http://evil.example/memory", ["Host: evil.example", `Cookie: ${cookie}`]),
  ];
  for (const { status, text } of others) {
    expect(["400", "421"]).toContain(status);
    expect(text).not.toContain(secret);
  }
});

test("[DA1] a page elsewhere changes nothing and reads nothing, with the browser's cookie (abuse 166)", async () => {
  const form = "Content-Type: application/x-www-form-urlencoded";
  const tries = [
    ["POST /conflicts/x", [form, "Origin: http://evil.example"]],
    ["POST /conflicts/x", ["Content-Type: text/plain", "Origin: null"]],
    ["POST /conflicts/x", ["Content-Type: text/plain"]],
    ["POST /conflicts/x", [form, `Origin: ${link.origin}`, "Sec-Fetch-Site: cross-site"]],
    ["POST /conflicts/x", [form, `Origin: http://127.0.0.1:${Number(link.port) + 1}`]],
    ["GET /conflicts/x", ["Sec-Fetch-Site: cross-site", "Sec-Fetch-Dest: image"]],
    ["GET /live", ["Sec-Fetch-Site: cross-site", "Accept: text/event-stream"]],
    ["GET /live", ["Origin: http://evil.example"]],
    ["GET /live", ["Sec-Fetch-Site: same-site"]],
    ["PUT /memory", []],
    ["DELETE /memory/x", []],
  ] as const;
  for (const [start, headers] of tries) {
    const { status, text } = await send(start, [...ours(), ...headers], "keep=losing");
    expect([start, headers, status, text.includes(secret)]).toEqual([start, headers, "403", false]);
  }
  const upgrade = [
    "Upgrade: websocket",
    "Origin: http://evil.example",
    "Sec-WebSocket-Version: 13",
  ];
  const socket = await send("GET /live", [...ours(), ...upgrade]);
  expect(socket.status).toBe("403");
});

test("[DA2] who else is on this machine gets in by neither the port nor a guess (abuse 168)", async () => {
  const name = cookie.split("=")[0] ?? "";
  const guesses = ["", `${name}=`, `${name}=${"A".repeat(43)}`, `${name}=${link.hash.slice(1)}`];
  for (const guess of guesses) {
    for (const path of ["/memory", "/live", "/sessions", "/conflicts", "/given", "/map"]) {
      const { status, text } = await send(`GET ${path}`, [
        `Host: ${link.host}`,
        `Cookie: ${guess}`,
      ]);
      expect([path, guess, status, text.includes(secret)]).toEqual([path, guess, "401", false]);
    }
  }
});

test("[DA1] a page of the internet is not let into this network (abuse 169)", async () => {
  const { text, status } = await send("OPTIONS /memory", [
    `Host: ${link.host}`,
    "Origin: https://evil.example",
    "Access-Control-Request-Method: GET",
    "Access-Control-Request-Private-Network: true",
    "Access-Control-Request-Local-Network: true",
  ]);
  expect(status).toBe("403");
  expect(text).not.toMatch(/access-control-allow/i);
});

test("[DA4] markup of every kind is text, under a policy that would stop it (abuse 170)", async () => {
  const payloads = [
    `<svg onload=alert(1)>`,
    `javascript:alert(1)`,
    `[x](javascript:alert(1))`,
    `[x](data:text/html,<script>alert(1)</script>)`,
    `<style>*{display:none}</style>`,
    `<a href="javascript:alert(1)">x</a>`,
    `<math><mtext><table><mglyph><style><!--</style><img title="--&gt;&lt;img src=1 onerror=alert(1)&gt;">`,
    `"><script>alert(1)</script>`,
    `{{constructor.constructor('alert(1)')()}}`,
    `</title></head><body onload=alert(1)>`,
  ];
  for (const title of payloads) await device.json("save", "--title", title, "--narrative", title);
  const page = await send("GET /memory", ours());
  expect(page.text).not.toMatch(/<(?:svg onload|style>|math|img|a href="javascript|body onload)/i);
  expect(page.text.match(/<script\b/gi)).toEqual(["<script"]);
  expect(page.text.match(/<title>/gi)?.length).toBe(1);
  expect(page.text).toContain("&lt;svg onload=alert(1)&gt;");
  const policy = /content-security-policy: ([^\r]*)/i.exec(page.text)?.[1] ?? "";
  for (const part of [
    "default-src 'none'",
    "script-src 'self'",
    "require-trusted-types-for 'script'",
  ])
    expect(policy).toContain(part);
  expect(policy).not.toMatch(/unsafe|\*|https?:/);
});

test("[DA1] its port is never one that somebody else could have taken before (abuse 172)", async () => {
  const again = await startDashboard(device.home, device.folder);
  running.push(again.child);
  expect(again.link.port).not.toBe(link.port);
  expect(again.link.hash).not.toBe(link.hash);
  // The cookie of one run opens no other.
  const answer = await fetch(`${again.link.origin}/memory`, { headers: { cookie } });
  expect(answer.status).toBe(401);
});
