import type { DeviceId, NamespaceId } from "@tidemark/protocol";
import fc from "fast-check";
import { expect, test } from "vitest";
import { createSecretCheck } from "../platform/secret-look/secret-check.ts";
import { readPush } from "./prepared-push.ts";
import type { SecretCheck } from "./sync-deps.ts";
import { sha256 } from "./testing/world.ts";

const token = ["ghp", "Q7hX2mVd9Lr4TnB6yKcW8sJf3GzP5u0aEeRt"].join("_");
const header = { writer: "w", after: 0, chain: "0".repeat(64) } as never;
const place = { namespace: "ns" as NamespaceId, device: "d" as DeviceId, header };
const secrets = createSecretCheck();

function lineOf(n: number, title: string): string {
  const op = { at: 1, collection: "observations", fields: { title }, lamport: n, n, op: "put" };
  return JSON.stringify({ ...op, record: `r${String(n)}` });
}

test("[PS34, SC60] a push that is read while it comes is the one that is read at once, secrets found", async () => {
  const lines = Array.from({ length: 200 }, (_, at) =>
    lineOf(at + 1, [3, 63, 64, 130, 199].includes(at) ? `uses ${token}` : "a word"),
  );
  const whole = readPush({ sha256, secrets }, place);
  whole.add(lines);
  const expected = await whole.end();
  const found = expected.ops.flatMap(({ n, decoded }) =>
    !decoded.ok && decoded.error === "secret-detected" ? [n] : [],
  );
  expect(found).toEqual([4, 64, 65, 131, 200]);
  await fc.assert(
    fc.asyncProperty(fc.array(fc.nat(lines.length), { maxLength: 5 }), async (cuts) => {
      const ends = [...cuts, lines.length].toSorted((a, b) => a - b);
      const reading = readPush({ sha256, secrets }, place);
      for (const [at, end] of ends.entries()) reading.add(lines.slice(ends[at - 1] ?? 0, end));
      expect(await reading.end()).toEqual(expected);
    }),
    { numRuns: 30, seed: 20261128 },
  );
});

test("[PS34] of a push that is dropped no look goes on", () => {
  const begun: string[] = [];
  const watched: SecretCheck = {
    ...secrets,
    look: (lines) => {
      const look = secrets.look(lines);
      begun.push(`${String(lines.length)} begun`);
      const drop = (): void => {
        begun.push(`${String(lines.length)} dropped`);
      };
      return { ...look, drop };
    },
  };
  const reading = readPush({ sha256, secrets: watched }, place);
  for (const count of [100, 70, 3]) {
    reading.add(Array.from({ length: count }, (_, at) => lineOf(at + 1, "a word")));
  }
  reading.drop();
  reading.drop();
  expect(begun).toEqual(["100 begun", "70 begun", "100 dropped", "70 dropped"]);
});
