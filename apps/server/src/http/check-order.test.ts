import { limits, versionHeader } from "@tidemark/protocol";
import { expect, test } from "vitest";
import { ask, claimServer, outcome, type Sending, type TestClient } from "./testing/client.ts";
import { createHarness, type Harness } from "./testing/harness.ts";

const wrongVersion: Readonly<Record<string, string>> = { [versionHeader]: "99" };
const json = { "content-type": "application/json" };
const tooLarge = "x".repeat(limits.jsonBodyBytesMax + 1);

/** A request with nothing right about it but method and path. */
async function askWrongly(harness: Harness, path: string, headers = wrongVersion): Promise<string> {
  const init = { method: "POST", body: tooLarge, headers: { ...json, ...headers } };
  return await outcome(await ask(harness, path, init));
}

async function sendWrongly(client: TestClient, sending: Sending = {}): Promise<string> {
  return await outcome(
    await client.send("/v1/links", {
      method: "POST",
      body: tooLarge,
      ...sending,
      headers: { ...json, ...sending.headers },
    }),
  );
}

test("[WR17] whether the server has an owner is asked before all else", async () => {
  const harness = createHarness();
  for (let count = 0; count < 400; count += 1) {
    expect(await askWrongly(harness, "/v1/join")).toBe("503 setup-required");
  }
  await claimServer(harness);
  // What came before the claim has used nothing up.
  expect(await askWrongly(harness, "/v1/join")).toBe("426 upgrade-server");
});

test("[WR17] the rate is asked before the version, the version before the body", async () => {
  const harness = createHarness();
  await claimServer(harness);
  const answers: string[] = [];
  for (let count = 0; count < 31; count += 1) answers.push(await askWrongly(harness, "/v1/join"));
  expect(new Set(answers.slice(0, 30))).toEqual(new Set(["426 upgrade-server"]));
  expect(answers.at(-1)).toBe("429 rate-limited");
  harness.clock.advance(60_000);
  expect(await askWrongly(harness, "/v1/join", {})).toBe("413 too-large");
});

test("[WR17] the version is asked before the device, the device before its rate and the body", async () => {
  const harness = createHarness();
  const owner = await claimServer(harness);
  expect(await askWrongly(harness, "/v1/links")).toBe("426 upgrade-server");
  expect(await askWrongly(harness, "/v1/links", {})).toBe("401 invalid-token");
  expect(await sendWrongly(owner, { headers: wrongVersion })).toBe("426 upgrade-server");
  for (let count = 0; count < 30; count += 1)
    expect(await sendWrongly(owner)).toBe("413 too-large");
  expect(await sendWrongly(owner)).toBe("429 rate-limited");
  expect(await askWrongly(harness, "/v1/links", {})).toBe("401 invalid-token");
});

test("[WR17] of a request that is refused before, the body is not read", async () => {
  const harness = createHarness();
  await claimServer(harness);
  let pulls = 0;
  const body = new ReadableStream<Uint8Array>(
    {
      pull: (controller) => {
        pulls += 1;
        controller.enqueue(new Uint8Array(1024));
      },
    },
    { highWaterMark: 0 },
  );
  const init: RequestInit & { duplex: "half" } = {
    method: "POST",
    body,
    headers: json,
    duplex: "half",
  };
  expect(await outcome(await ask(harness, "/v1/links", init))).toBe("401 invalid-token");
  expect(pulls).toBe(0);
});
