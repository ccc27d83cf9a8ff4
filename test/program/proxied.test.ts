import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import {
  startTestProxy,
  type TestProxy,
} from "../../apps/client/src/platform/proxy/testing/test-proxy.ts";
import { createDevices, titlesOf, type TestDevice } from "./client-process.ts";
import { createBench } from "./server-process.ts";
import { startTlsFront, type TlsFront } from "./tls-front.ts";

const bench = createBench();
const devices = createDevices();
/** A name that only the proxy knows the way to. */
const name = "tidemark.invalid";
let front: TlsFront;
let proxy: TestProxy;

beforeAll(async () => {
  front = await startTlsFront(bench, name);
  proxy = await startTestProxy(front.port);
  await behind("one").json("pair", front.link, "--name", "one", "--user", "ada");
});
beforeEach(() => {
  proxy.answer = 200;
});
afterAll(async () => {
  await proxy.close();
  front.close();
  await bench.clear();
  devices.clear();
});

function behind(device: string, named = proxy.url, noProxy = ""): TestDevice {
  return devices.device(device, {
    NODE_EXTRA_CA_CERTS: front.certificate,
    HTTPS_PROXY: named,
    NO_PROXY: noProxy,
  });
}

test("[WR65] behind a proxy devices pair, sync, and hear of what others write", async () => {
  const { link } = await behind("one").json<{ link: string }>("device", "add");
  const two = behind("two", proxy.url.replace("//", "//ada:secret@"));
  await two.json("pair", link, "--name", "two");
  await behind("one").json("save", "--title", "Told through a proxy");
  await behind("one").json("sync");
  await two.json("sync");
  expect(await titlesOf(two)).toEqual(["Told through a proxy"]);
  await two.withDaemon(async () => {
    await behind("one").json("save", "--title", "Heard of by a poke");
    await behind("one").json("sync");
    await expect.poll(() => titlesOf(two), { timeout: 20_000, interval: 100 }).toHaveLength(2);
  });
  expect(new Set(proxy.asked.map(({ path }) => path))).toEqual(new Set([`${name}:${front.port}`]));
  const { message } = await serverCheck(two);
  expect(message).toContain(`through the proxy ${proxy.url}`);
  expect(message).not.toContain("secret");
}, 90_000);

test.each([
  [407, "proxy-authentication", "NAME:PASSWORD"],
  [403, "proxy-refused", "allow"],
  [502, "proxy-reaches-nobody", "address"],
  ["broken off", "proxy-unreachable", "HTTPS_PROXY"],
] as const)("[WR66] a proxy's %s is told as %s, with what to set", async (answer, code, hint) => {
  proxy.answer = answer;
  const error = await behind("one").error("sync");
  expect(error).toMatchObject({ exit: 1, code });
  expect(error.hint).toContain(hint);
  expect((await serverCheck(behind("one"))).fix).toBe(error.hint);
  const stranger = await behind("stranger").error("pair", front.link);
  expect(stranger).toMatchObject({ exit: 1, code, hint: error.hint });
});

test("[WR65] a server that NO_PROXY names is asked for directly", async () => {
  proxy.answer = 403;
  expect(await behind("one", proxy.url, name).error("sync")).toMatchObject({ code: "unreachable" });
});

test("[WR66] what is no proxy is told, and nothing goes past it", async () => {
  const error = await behind("one", "socks5://127.0.0.1:1080").error("sync");
  expect(error).toMatchObject({ exit: 1, code: "proxy-unusable" });
});

async function serverCheck(device: TestDevice): Promise<{ message: string; fix: string }> {
  const { stdout } = await device.run(["doctor", "--json"]);
  const { checks } = JSON.parse(stdout) as {
    checks: readonly { name: string; message: string; fix: string }[];
  };
  return checks.find((check) => check.name === "server") ?? { message: "", fix: "" };
}
