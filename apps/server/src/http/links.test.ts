import { linkStateSchema, type LinkState } from "@tidemark/protocol/wire";
import { createHmac, hkdfSync } from "node:crypto";
import { expect, test } from "vitest";
import { createTestDevice } from "../auth/testing/device.ts";
import { createHarness } from "./testing/harness.ts";
import {
  claimServer,
  joinRequest,
  joinServer,
  outcome,
  post,
  type TestClient,
} from "./testing/client.ts";

async function claimed() {
  const harness = createHarness();
  return { harness, owner: await claimServer(harness) };
}

async function stateOf(client: TestClient, id: string): Promise<LinkState> {
  return linkStateSchema.parse(await client.call("GET", `/v1/links/${id}`));
}

/** The mac as the two devices of a link compute it. */
function macOf(secret: string, bound: string): string {
  const key = hkdfSync("sha256", secret, "", "tidemark-join-bind", 32);
  return createHmac("sha256", Buffer.from(key)).update(bound).digest("base64url");
}

test("[AU14] who made a link checks the new device's key by the mac that only the link's secret gives", async () => {
  const { harness, owner } = await claimed();
  const secret = "a secret that no server sees";
  const link = await owner.createLink({ kind: "device" });
  expect(await stateOf(owner, link.id)).toEqual({ status: "open" });
  const device = await createTestDevice("desk");
  const server = owner.admission.server.id;
  const { thumbprint } = device;
  const mac = macOf(secret, `${thumbprint}|desk|${server}`);
  const request = { ...joinRequest(link, device, "desk"), mac };
  expect((await post(harness, "/v1/join", request)).status).toBe(201);
  const state = await stateOf(owner, link.id);
  expect(state).toMatchObject({ status: "used", device: { name: "desk", thumbprint }, mac });
  const id = state.device?.id ?? "";
  await owner.call("PATCH", `/v1/devices/${id}`, { name: "tower" });
  const { device: renamed, mac: kept = "" } = await stateOf(owner, link.id);
  expect(renamed).toEqual({ id, name: "tower", joinedName: "desk", thumbprint });
  expect(macOf(secret, `${renamed?.thumbprint ?? ""}|${renamed?.joinedName ?? ""}|${server}`)).toBe(
    kept,
  );
});

test("[AU14] a link expires for its maker to see, and is nothing to anybody else", async () => {
  const { harness, owner } = await claimed();
  const { id: acme } = await owner.createNamespace("acme");
  const bob = await joinServer(
    harness,
    await owner.createLink({ kind: "invite", namespace: acme, role: "admin" }),
    "bob",
  );
  const link = await owner.createLink({ kind: "device", ttlSeconds: 60 });
  const path = `/v1/links/${link.id}`;
  expect(await outcome(await bob.send(path))).toBe("404 not-found");
  expect(await outcome(await owner.send("/v1/links/unknown0"))).toBe("404 not-found");
  expect(await outcome(await owner.send("/v1/links/..%2f"))).toBe("404 not-found");
  harness.clock.advance(60_000);
  expect(await stateOf(owner, link.id)).toEqual({ status: "expired" });
});
