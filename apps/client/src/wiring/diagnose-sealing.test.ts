import { expect, test } from "vitest";
import { checkSealing } from "./diagnose-sealing.ts";
import type { Memory } from "./memory.ts";

test.each([
  [1, "of 3 not here: 2; values in 1 record stay sealed"],
  [2, "of 3 not here: 2; values in 2 records stay sealed"],
])("[CL70] values in %i closed records are counted in words", (count, message) => {
  const memory = {
    store: {
      replicas: {
        replicas: () => [{ namespace: "nse_1", name: "harbour", status: "active" }],
        sealing: () => ({ hasKey: true, epoch: 3 }),
        seenLog: () => [],
      },
      reads: { closedRecords: () => ({ missing: [2], count }) },
    },
  } as unknown as Memory;
  expect(checkSealing(memory)).toMatchObject([{ status: "WARN", message }]);
});

const rec = { device: "rec_1", user: "usr_1", sig: "A".repeat(43), enc: "A".repeat(43) };
const entry = (said: object): string => {
  const body = { prev: "0".repeat(64), by: "dev_1", ...said };
  return `head.${Buffer.from(JSON.stringify(body)).toString("base64url")}.sig`;
};
const letIn = entry({ kind: "admit", keys: rec, role: "admin" });
const device = entry({ kind: "admit", keys: { ...rec, device: "dev_2" }, role: "admin" });

test.each([
  ["none", [device], true],
  ["one that was taken out", [letIn, entry({ kind: "remove", device: "rec_1" })], true],
  ["one", [letIn, entry({ kind: "remove", device: "dev_2" })], false],
  ["a log that is not here", [], false],
])("[EE33] a namespace with %s is told of where it has no recovery code", (_, log, isTold) => {
  const memory = {
    store: {
      replicas: {
        replicas: () => [{ namespace: "nse_1", name: "harbour", status: "active" }],
        sealing: () => ({ hasKey: true, epoch: 3 }),
        seenLog: () => log,
      },
      reads: { closedRecords: () => ({ missing: [], count: 0 }) },
    },
  } as unknown as Memory;
  const codes = checkSealing(memory).filter(({ name }) => name === "recovery code of harbour");
  const fix = "on an admin's device: tidemark namespace rotate nse_1 --recovery-code";
  expect(codes).toMatchObject(isTold ? [{ status: "WARN", fix }] : []);
});
