import { expect, test } from "vitest";
import { systemClock } from "../platform/clock.ts";
import type { Store } from "../store/store.ts";
import { createLinkBook } from "../sync/sealed/link-book.ts";
import type { Home } from "./home.ts";
import { checkLinks, unvouchedDevices } from "./link-note.ts";
import type { Memory } from "./memory.ts";

const facts = new Map<string, string | undefined>();
const upkeep = {
  meta: (key: string) => facts.get(key),
  changeMeta: (key: string, change: (before: string | undefined) => string | undefined) => {
    facts.set(key, change(facts.get(key)));
  },
};
const store = { upkeep } as unknown as Store;
const homeOf = (server: string | undefined): Home =>
  ({ identity: () => (server === undefined ? undefined : { server: { id: server } }) }) as Home;

test("[EE21] a device under a key that the link does not vouch for is told, with how to shut it out", () => {
  const book = createLinkBook({ facts: upkeep, clock: systemClock, serverId: "srv_a" });
  for (const isVouched of [true, false]) {
    const id = `link-${String(isVouched)}`;
    book.keep({ id, side: "made", binding: new Uint8Array([1]), lifeMs: 0 });
    book.change(id, {
      joined: { device: `dev_${String(isVouched)}`, name: "desk", thumbprint: "t", isVouched },
    });
  }
  expect(unvouchedDevices(store, homeOf("srv_a"))).toEqual([{ device: "dev_false", name: "desk" }]);
  expect(checkLinks({ store } as Memory, homeOf("srv_a"))).toMatchObject([
    { status: "FAIL", fix: "tidemark device revoke dev_false" },
  ]);
  expect(unvouchedDevices(store, homeOf("srv_b"))).toEqual([]);
  expect(unvouchedDevices(store, homeOf(undefined))).toEqual([]);
});
