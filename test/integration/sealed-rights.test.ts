import { afterEach, beforeEach, expect, test } from "vitest";
import { sha256 } from "../../apps/client/src/platform/hash.ts";
import { systemRandom } from "../../apps/client/src/platform/random.ts";
import { createKeysApi } from "../../apps/client/src/sync/sealed/keys-api.ts";
import { signEntries } from "../../apps/client/src/sync/sealed/log-entries.ts";
import { hex } from "../../packages/protocol/src/index.ts";
import type { KeysRequest } from "../../packages/protocol/src/wire/index.ts";
import { refusalOf } from "./refusal.ts";
import { openVault, type Vault } from "./vault.ts";
import { linkOfB } from "./world.ts";

const signal = new AbortController().signal;
let vault: Vault;
/** Whether the server's log has no more room. */
let isFull = false;

beforeEach(async () => {
  isFull = false;
  vault = await openVault(async (request, deliver) => {
    const isChange = request.method === "POST" && request.url.endsWith("/keys");
    const isEntry = isChange && ((await request.json()) as KeysRequest).entries.length > 0;
    return isFull && isEntry ? refusalOf("too-large") : await deliver();
  });
});

afterEach(() => {
  vault.world.close();
});

const aKey = (): string => Buffer.from(systemRandom.bytes(32)).toString("base64url");

/** The first device lets in one of somebody else, which the server does not name. */
async function letInOther(device: string): Promise<void> {
  const { world, id } = vault;
  const { log } = vault.state();
  const keys = { device, user: "u_other", sig: aKey(), enc: aKey() };
  const signer = { device: world.a.id, jwk: { ...world.a.key.privateJwk() } };
  const head = hex(sha256(log.at(-1)?.entry ?? ""));
  const said = [{ kind: "admit", keys, role: "member" } as const];
  const { entries } = await signEntries(sha256, signer, { head, said });
  const request = { after: log.length, entries, wraps: [] };
  const changed = await createKeysApi(world.a.caller).change(id, request, signal);
  if (!changed.ok) throw new Error(changed.error.code);
}

/** Takes from everybody on the server what only admins may, whatever the log says of them. */
function demote(): void {
  const { members } = vault.state();
  for (const user of members.keys()) members.set(user, "writer");
}

const lose = (isLost: (recipient: string) => boolean): void => {
  const state = vault.state();
  state.wraps = state.wraps.filter(({ recipient }) => !isLost(recipient));
};

const isB = (recipient: string): boolean => recipient === vault.world.b.id;

test("[EE32] where somebody has left and no new key may be begun, who came in by a link is let in", async () => {
  const { a, b } = vault.world;
  a.links.keep({ ...linkOfB, side: "made", lifeMs: 600_000 });
  b.links.keep({ ...linkOfB, side: "opened", lifeMs: 0 });
  await letInOther("d_gone");
  demote();
  await b.sync();
  await a.sync();
  await b.sync();
  expect(b.store.replicas.sealing(vault.id)).toMatchObject({ epoch: 1, hasKey: true });
});

test.each([
  ["may be begun", demote],
  ["has room in the log", () => (isFull = true)],
])(
  "[EE32] where somebody has left and no new key %s, lost keys are handed out again",
  async (_, forbid) => {
    await vault.letIn();
    await letInOther("d_gone");
    forbid();
    lose(isB);
    await vault.world.a.sync();
    expect(vault.epochsFor(isB)).toEqual([1]);
  },
);

test("[EE32] whose role lets them hand keys to nobody else hands them to their own devices", async () => {
  await vault.letIn();
  // The code that another admin has made since: nobody hands its keys out anew but admins.
  await letInOther("rec_other");
  demote();
  lose(isB);
  await vault.world.a.sync();
  expect(vault.epochsFor(isB)).toEqual([1]);
});
