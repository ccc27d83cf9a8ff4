import { afterAll, beforeAll, expect, test } from "vitest";
import { createDevices, type TestDevice } from "./client-process.ts";
import { createBench } from "./server-process.ts";
import { startTlsFront, type TlsFront } from "./tls-front.ts";

const bench = createBench();
const devices = createDevices();
let front: TlsFront;

beforeAll(async () => {
  front = await startTlsFront(bench, "localhost");
});

afterAll(async () => {
  front.close();
  await bench.clear();
  devices.clear();
});

test("[WR64] a server whose certificate nobody vouches for is told as that, with what to set", async () => {
  const error = await devices.device("stranger").error("pair", front.link);
  expect(error).toMatchObject({ exit: 1, code: "untrusted-certificate" });
  expect(error.hint).toContain("NODE_EXTRA_CA_CERTS");
});

test("[WR64] where its authority is named the device works, and without it says what is missing", async () => {
  const told = devices.device("one", { NODE_EXTRA_CA_CERTS: front.certificate });
  await told.json("pair", front.link, "--name", "one", "--user", "ada");
  await told.json("sync");
  const untold = devices.device("one");
  const error = await untold.error("sync");
  expect(error).toMatchObject({ exit: 1, code: "untrusted-certificate" });
  expect(error.hint).toContain("NODE_EXTRA_CA_CERTS");
  expect(await serverFix(untold)).toContain("NODE_EXTRA_CA_CERTS");
}, 60_000);

async function serverFix(device: TestDevice): Promise<string | undefined> {
  const { stdout } = await device.run(["doctor", "--json"]);
  const { checks } = JSON.parse(stdout) as { checks: readonly { name: string; fix: string }[] };
  return checks.find(({ name }) => name === "server")?.fix;
}
