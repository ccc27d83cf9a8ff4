import { fail, ok, type DeviceId } from "@tidemark/protocol";
import { expect, test } from "vitest";
import type { Caller } from "../http/caller.ts";
import { createQuarantines } from "./quarantines.ts";

const signal = new AbortController().signal;
const device = `dev_${"a".repeat(26)}` as DeviceId;

/** A server of a version: what it can do, and what was sent to it. */
function serverOf(features: readonly string[]) {
  const sent: unknown[] = [];
  const unused = (): never => {
    throw new Error("not called here");
  };
  const caller: Caller = {
    serverUrl: "https://h.example",
    pack: unused,
    text: unused,
    lines: unused,
    open: unused,
    json: ({ method, path, body }, schema) => {
      if (path === "/v1/hello") {
        const protocol = { version: 1, oldest: 1 };
        const server = { id: "srv", time: 1, version: "0" };
        return Promise.resolve(ok(schema.parse({ protocol, features, server, limits: {} })));
      }
      sent.push(body === undefined ? `${method} ${path}` : JSON.parse(body.content as string));
      return Promise.resolve(
        method === "POST"
          ? ok(schema.parse({ suspects: [] }))
          : fail({ family: "reject", code: "not-found", title: "" } as const),
      );
    },
  };
  return { quarantines: createQuarantines({ caller }), sent };
}

test("[QU7] [WR2] a server that does not know quarantines is named as too old, and nothing is sent", async () => {
  const { quarantines, sent } = serverOf(["heal"]);
  const asked = { id: device, sinceMs: undefined };
  const refused = { ok: false, error: { code: "upgrade-server" } };
  expect(await quarantines.set(asked, signal)).toMatchObject(refused);
  expect(await quarantines.lift(device, signal)).toMatchObject(refused);
  expect(sent).toEqual([]);
});

test("[QU7] a time is sent where one is given, and a device that is none says what may be", async () => {
  const { quarantines, sent } = serverOf(["quarantine"]);
  expect(await quarantines.set({ id: device, sinceMs: undefined }, signal)).toEqual(ok([]));
  expect(await quarantines.set({ id: device, sinceMs: 7 }, signal)).toEqual(ok([]));
  const lifted = await quarantines.lift(device, signal);
  expect(lifted).toMatchObject({ ok: false, error: { code: "not-found" } });
  expect(sent).toEqual([{ device }, { device, since: 7 }, `DELETE /v1/quarantines/${device}`]);
});
