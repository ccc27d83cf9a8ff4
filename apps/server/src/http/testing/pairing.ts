import type { PairFacts, PairPollAnswer, PairStartAnswer } from "@tidemark/protocol/wire";
import { createTestDevice, proofParts, type TestDevice } from "../../auth/testing/device.ts";
import { ask, newDevice, outcome, type Server, type TestClient } from "./client.ts";
import { bodyText } from "./harness.ts";

/** A device that shows a code. */
export interface ShownCode extends PairStartAnswer {
  readonly device: TestDevice;
}

/** Sends JSON that is proven by a key and by no token. */
export async function postProven(
  server: Server,
  path: string,
  sending: { readonly body: object; readonly prover?: TestDevice | undefined },
): Promise<Response> {
  const headers: Record<string, string> = { "content-type": "application/json" };
  if (sending.prover !== undefined) {
    const nowMs = server.clock.nowMs();
    const proof = proofParts(sending.prover, { method: "POST", url: server.url + path, nowMs });
    headers["dpop"] = await sending.prover.sign(proof.header, proof.claims);
  }
  return await ask(server, path, { method: "POST", headers, body: JSON.stringify(sending.body) });
}

/** The body of a request to be let in. */
export function startRequest(device: TestDevice, name: string): object {
  return { device: newDevice(device, name), mac: "m".repeat(43), salt: "s".repeat(22) };
}

/** Makes a device show a code. */
export async function showCode(server: Server, name: string): Promise<ShownCode> {
  const device = await createTestDevice(name);
  const body = startRequest(device, name);
  const response = await postProven(server, "/v1/pair/start", { body, prover: device });
  if (response.status !== 201) throw new Error(await outcome(response));
  return { ...(JSON.parse(await bodyText(response)) as PairStartAnswer), device };
}

/** Asks what became of a request. */
export async function pollCode(
  server: Server,
  shown: Pick<ShownCode, "id" | "secret" | "device">,
  given: { readonly prover?: TestDevice | undefined; readonly wait?: boolean } = {},
): Promise<Response> {
  const { id, secret, device } = shown;
  const wait = given.wait === undefined ? {} : { wait: given.wait };
  const prover = "prover" in given ? given.prover : device;
  return await postProven(server, "/v1/pair/poll", { body: { id, secret, ...wait }, prover });
}

/** The answer of a poll that worked. */
export async function pollAnswer(response: Response): Promise<PairPollAnswer> {
  if (response.status !== 200) throw new Error(await outcome(response));
  return JSON.parse(await bodyText(response)) as PairPollAnswer;
}

/** Reads a request as `tidemark approve` does. */
export async function lookUpCode(client: TestClient, code: string): Promise<PairFacts> {
  return await client.call<PairFacts>("POST", "/v1/pair/lookup", { code });
}
