import { sealOp, type Op, type RecordId, type WriterId } from "@tidemark/protocol";
import { ndjsonType, type HealTail, type PushAnswer } from "@tidemark/protocol/wire";
import { expect, test } from "vitest";
import type { Store } from "../../store/port.ts";
import { createTestClock, type TestClock } from "../../auth/testing/auth-deps.ts";
import { claimServer, joinServer, outcome, type TestClient } from "./client.ts";
import { bodyText, createHarness } from "./harness.ts";
import {
  announce,
  createSealed,
  genesisOf,
  keysOf,
  pushPut,
  signed,
  type Said,
  type SealedWorld,
} from "./sealed-world.ts";

interface Place {
  readonly owner: TestClient;
  readonly box: SealedWorld;
  readonly invite: (name: string, role: string) => Promise<TestClient>;
  readonly store: Store;
}

const commit = "a".repeat(64);

/** What a server does with encrypted namespaces, over real keys and whatever store. */
export function sealedScenarios(open: (clock: TestClock) => Promise<Store>): void {
  const placed = async (wrap = (store: Store): Store => store): Promise<Place> => {
    const clock = createTestClock();
    const store = wrap(await open(clock));
    const harness = { ...createHarness({ store, clock }), clock };
    const owner = await claimServer(harness);
    const box = await createSealed(owner);
    return {
      owner,
      box,
      store,
      invite: async (name, role) => {
        const link = await owner.createLink({ kind: "invite", namespace: box.id, role });
        const client = await joinServer(harness, link, name);
        await announce(client);
        return client;
      },
    };
  };

  test("[EE5] values in clear are refused op by op in an encrypted namespace, and kept nowhere (abuse 146)", async () => {
    const { owner, box, store } = await placed();
    const put = { writer: "w1", title: "canary in clear" };
    const refused = await answerOf(await pushPut(owner, { id: box.id, epoch: 1 }, put));
    expect(refused.results).toEqual([{ n: 1, result: "rejected", code: "plain-value" }]);
    const page = await store.readNamespace(box.id, (tx) => tx.page(0, 10, 1e6));
    expect(page).toEqual([]);
    const sealed = { writer: "w2", title: "canary sealed", ring: box.ring(1) };
    const taken = await answerOf(await pushPut(owner, { id: box.id, epoch: 1 }, sealed));
    expect(taken).toMatchObject({ results: [], head: 1 });
    const [line] = (await store.readNamespace(box.id, (tx) => tx.page(0, 10, 1e6))) ?? [];
    expect(line?.line).toContain("sealed1.1.");
    expect(line?.line).not.toMatch(/canary|title/);
  });

  test("[EE5] a sealed value is refused in a plain namespace", async () => {
    const { owner, box } = await placed();
    const { id } = await owner.createNamespace("plain");
    const put = { writer: "w1", title: "t", ring: box.ring(1) };
    const refused = await answerOf(await pushPut(owner, { id }, put));
    expect(refused.results).toEqual([{ n: 1, result: "rejected", code: "sealed-value" }]);
  });

  test("[EE9] a push under an epoch of before changes nothing, and one under the new is taken (abuse 147)", async () => {
    const { owner, box } = await placed();
    const old = { writer: "w1", title: "t", ring: box.ring(1) };
    const rotated = await box.entry(owner, { kind: "epoch", epoch: 2, commit });
    const wraps = [{ recipient: owner.admission.device.id, epoch: 2, wrap: "w.2" }];
    expect(await box.change(owner, [rotated], wraps)).toBe("200");
    expect(await outcome(await pushPut(owner, { id: box.id, epoch: 1 }, old))).toBe(
      "409 stale-epoch",
    );
    expect(await outcome(await pushPut(owner, { id: box.id }, old))).toBe("409 stale-epoch");
    // Under a header that lies of the epoch each op is refused by its form.
    const lying = await answerOf(await pushPut(owner, { id: box.id, epoch: 2 }, old));
    expect(lying.results).toEqual([{ n: 1, result: "rejected", code: "invalid" }]);
    const fresh = { writer: "w2", title: "t", ring: box.ring(2) };
    const taken = await answerOf(await pushPut(owner, { id: box.id, epoch: 2 }, fresh));
    expect(taken.results).toEqual([]);
    expect((await box.keys(owner)).wraps.map(({ epoch }) => epoch)).toEqual([1, 2]);
  });

  test("[EE9] what was taken before the key changed is told, and not asked for again", async () => {
    const { owner, box } = await placed();
    const put = { writer: "w1", title: "t", ring: box.ring(1) };
    await answerOf(await pushPut(owner, { id: box.id, epoch: 1 }, put));
    await box.change(owner, [await box.entry(owner, { kind: "epoch", epoch: 2, commit })]);
    const again = await pushPut(owner, { id: box.id, epoch: 1 }, put);
    expect(await outcome(again)).toBe("409 writer-position");
  });

  test("[EE5] a heal takes sealed states of an old epoch and refuses plain ones", async () => {
    const { owner, box } = await placed();
    await box.change(owner, [await box.entry(owner, { kind: "epoch", epoch: 2, commit })]);
    const op: Op = {
      n: 1,
      record: "r1" as RecordId,
      collection: "observation",
      lamport: 1,
      at: 5,
      op: "put",
      fields: { title: "old" },
    };
    const sealed = sealOp(box.ring(1), op, "w1" as WriterId) as typeof op & { fields: object };
    const state = { id: "r1", collection: "observation", lamport: 1, writer: "w1", at: 5 };
    const heal = async (fields: object): Promise<HealTail> => {
      const lines = [
        { lamport: 1, want: [] },
        { ...state, fields },
      ];
      const body = `${lines.map((line) => JSON.stringify(line)).join("\n")}\n`;
      const headers = { "content-type": ndjsonType };
      const path = `/v1/namespaces/${box.id}/heal`;
      const answer = await owner.send(path, { method: "POST", body, headers });
      expect(answer.status).toBe(200);
      return JSON.parse((await bodyText(answer)).trim().split("\n").at(-1) ?? "") as HealTail;
    };
    expect((await heal({ title: "clear" })).refused).toEqual([{ id: "r1", code: "plain-value" }]);
    expect(await heal(sealed.fields)).toMatchObject({ refused: [], head: 1 });
  });

  test("[EE6] of two that begin an epoch at once one wins, and the other is told (abuse 148)", async () => {
    const { owner, box, invite } = await placed();
    const bob = await invite("bob", "admin");
    const admit = await box.entry(owner, { kind: "admit", keys: keysOf(bob), role: "admin" });
    expect(await box.change(owner, [admit])).toBe("200");
    const one = await box.entry(owner, { kind: "epoch", epoch: 2, commit });
    const other = await box.entry(bob, { kind: "epoch", epoch: 2, commit: "b".repeat(64) });
    const after = box.log.length;
    const outcomes = await Promise.all([
      box.change(owner, [one], [], after),
      box.change(bob, [other], [], after),
    ]);
    expect(outcomes.toSorted()).toEqual(["200", "409 conflict"]);
    expect((await box.keys(owner)).log).toHaveLength(3);
  });

  test("[EE6] an entry of a stranger, a forged one and one out of its place are refused (abuse 142)", async () => {
    const { owner, box, invite } = await placed();
    const bob = await invite("bob", "writer");
    const ghost = { kind: "admit", keys: keysOf(bob), role: "member" };
    expect(await box.change(owner, [await box.entry(bob, ghost)])).toBe("400 invalid");
    const asOwner = { ...ghost, by: owner.admission.device.id };
    expect(await box.change(owner, [await box.entry(bob, asOwner)])).toBe("400 invalid");
    const elsewhere = { ...ghost, prev: commit };
    expect(await box.change(owner, [await box.entry(owner, elsewhere)])).toBe("400 invalid");
    expect(await box.change(owner, ["a.b.c"])).toBe("400 invalid");
    expect(await box.change(owner, [], [], 0)).toBe("409 conflict");
    expect((await box.keys(owner)).log).toEqual([box.genesis]);
  });

  test("[EE6] members say what concerns their own devices, all else is for admins by their role now", async () => {
    const { owner, box, invite } = await placed();
    const bob = await invite("bob", "writer");
    const eve = await invite("eve", "writer");
    const admitBob = { kind: "admit", keys: keysOf(bob), role: "admin" };
    expect(await box.change(owner, [await box.entry(owner, admitBob)])).toBe("200");
    // The log calls bob an admin; the server knows him as a writer by now.
    const admitEve = { kind: "admit", keys: keysOf(eve), role: "member" };
    expect(await box.change(bob, [await box.entry(bob, admitEve)])).toBe("403 forbidden");
    const epoch = await box.entry(bob, { kind: "epoch", epoch: 2, commit });
    expect(await box.change(bob, [epoch])).toBe("403 forbidden");
    const forOwner = [{ recipient: owner.admission.device.id, epoch: 1, wrap: "own.key" }];
    expect(await box.change(bob, [], forOwner)).toBe("403 forbidden");
    const removeOwner = { kind: "remove", device: owner.admission.device.id };
    expect(await box.change(bob, [await box.entry(bob, removeOwner)])).toBe("403 forbidden");
    const leave = { kind: "remove", device: bob.admission.device.id };
    expect(await box.change(bob, [await box.entry(bob, leave)])).toBe("200");
    const toNobody = [{ recipient: bob.admission.device.id, epoch: 1, wrap: "w" }];
    expect(await box.change(owner, [], toNobody)).toBe("400 invalid");
    const early = [{ recipient: owner.admission.device.id, epoch: 2, wrap: "w" }];
    expect(await box.change(owner, [], early)).toBe("400 invalid");
  });

  test("[EE26] a member fills a log by 64 entries, in several requests and by others' hands; admins go on", async () => {
    const { owner, box, invite } = await placed();
    const bob = await invite("bob", "writer");
    const eve = await invite("eve", "writer");
    const letIn = [bob, eve].map((one) => ({ kind: "admit", keys: keysOf(one), role: "member" }));
    expect(await box.change(owner, await box.entries(owner, letIn))).toBe("200");
    expect(await box.change(bob, await box.entries(bob, ghostsOf(bob, 65)))).toBe("413 too-large");
    expect(await box.change(bob, await box.entries(bob, ghostsOf(bob, 40)))).toBe("200");
    const rest = ghostsOf(bob, 25, 40);
    expect(await box.change(eve, await box.entries(bob, rest))).toBe("413 too-large");
    expect(await box.change(bob, await box.entries(bob, rest.slice(1)))).toBe("200");
    const leave = { kind: "remove", device: bob.admission.device.id };
    expect(await box.change(bob, [await box.entry(bob, leave)])).toBe("413 too-large");
    // Neither what others say nor what admins say of that person is kept out.
    expect(await box.change(eve, await box.entries(eve, ghostsOf(eve, 1)))).toBe("200");
    expect(await box.change(owner, [await box.entry(owner, leave)])).toBe("200");
  });

  test("[EE26] a log that is nearly full lets nobody in, and shuts out under new keys", async () => {
    const { owner, box } = await placed();
    for (let from = 0; from < 899; from += 100) {
      const some = ghostsOf(owner, Math.min(100, 899 - from), from);
      expect(await box.change(owner, await box.entries(owner, some))).toBe("200");
    }
    expect(box.log).toHaveLength(900);
    const [late] = await box.entries(owner, ghostsOf(owner, 1, 899));
    expect(await box.change(owner, [late ?? ""])).toBe("413 too-large");
    const out = Array.from({ length: 99 }, (_, at) => ({
      kind: "remove",
      device: ghost(owner, at),
    }));
    const turn = { kind: "epoch", epoch: 2, commit };
    expect(await box.change(owner, await box.entries(owner, [...out, turn]))).toBe("200");
    expect(box.log).toHaveLength(1_000);
    const next = { kind: "epoch", epoch: 3, commit };
    expect(await box.change(owner, [await box.entry(owner, next)])).toBe("413 too-large");
  });

  test.each([
    ["who asks", (bob: TestClient, _eve: TestClient) => bob],
    ["who signed", (_bob: TestClient, eve: TestClient) => eve],
  ])("[EE6] a role that %s lost while an entry was looked at counts no more", async (_, of) => {
    const hook: { beforeWrite?: (() => Promise<void>) | undefined } = {};
    const { owner, box, invite } = await placed((store) => ({
      ...store,
      writeNamespace: async (namespace, work) => {
        const { beforeWrite } = hook;
        hook.beforeWrite = undefined;
        await beforeWrite?.();
        return await store.writeNamespace(namespace, work);
      },
    }));
    const [eve, bob] = [await invite("eve", "admin"), await invite("bob", "admin")];
    const admit = [eve, bob].map((one) => ({ kind: "admit", keys: keysOf(one), role: "admin" }));
    expect(await box.change(owner, await box.entries(owner, admit))).toBe("200");
    const loses = of(bob, eve);
    const asks = loses === bob ? bob : await invite("pat", "reader");
    const entry = await box.entry(loses, { kind: "remove", device: owner.admission.device.id });
    hook.beforeWrite = async () => {
      const path = `/v1/namespaces/${box.id}/members/${loses.admission.user.id}`;
      await owner.call("PATCH", path, { role: "reader" });
    };
    expect(await box.change(asks, [entry])).toBe("409 conflict");
    expect(await box.change(asks, [entry])).toBe("403 forbidden");
    expect((await box.keys(owner)).log).toHaveLength(3);
  });

  test("[EE20] what a signer's person may still say is taken from any member, for a log that was set back", async () => {
    const { owner, box, invite } = await placed();
    const bob = await invite("bob", "reader");
    const eve = await invite("eve", "admin");
    const admitBob = { kind: "admit", keys: keysOf(bob), role: "member" };
    const admitEve = { kind: "admit", keys: keysOf(eve), role: "admin" };
    expect(await box.change(bob, [await box.entry(owner, admitBob)])).toBe("200");
    expect(await box.change(bob, [await box.entry(owner, admitEve)])).toBe("200");
    // Nobody hands out keys for others because an entry of theirs comes along.
    const toEve = [{ recipient: eve.admission.device.id, epoch: 1, wrap: "w.1" }];
    const epoch = await box.entry(eve, { kind: "epoch", epoch: 2, commit });
    expect(await box.change(bob, [epoch], toEve)).toBe("403 forbidden");
    const path = `/v1/namespaces/${box.id}/members/${eve.admission.user.id}`;
    await owner.call("PATCH", path, { role: "writer" });
    expect(await box.change(bob, [epoch])).toBe("403 forbidden");
    await owner.call("PATCH", path, { role: "admin" });
    expect(await box.change(bob, [epoch])).toBe("200");
    const { devices, present } = await box.keys(owner);
    expect(devices.filter(({ wraps }) => wraps === 1).map(({ id }) => id)).toEqual([
      owner.admission.device.id,
    ]);
    expect(devices).toHaveLength(3);
    expect(present).toEqual(devices.map(({ id }) => id));
  });

  test("[EE6] to strangers and former members an encrypted namespace is absent, keys and all", async () => {
    const { owner, box, invite } = await placed();
    const bob = await invite("bob", "reader");
    expect((await box.keys(bob)).log).toEqual([box.genesis]);
    expect((await box.keys(bob)).wraps).toEqual([]);
    await owner.call("DELETE", `/v1/namespaces/${box.id}/members/${bob.admission.user.id}`);
    const path = `/v1/namespaces/${box.id}/keys`;
    expect(await outcome(await bob.send(path))).toBe("404 not-found");
    expect(await box.change(bob, [])).toBe("404 not-found");
    const { id } = await owner.createNamespace("plain");
    expect(await outcome(await owner.send(`/v1/namespaces/${id}/keys`))).toBe("404 not-found");
  });

  test("[EE6] a namespace begins once, by its own device, with an entry that is its own", async () => {
    const { owner, box, invite } = await placed();
    const bob = await invite("bob", "reader");
    const begin = async (genesis: string, wraps: readonly object[] = []): Promise<string> => {
      const body = JSON.stringify({ name: "x", sealed: { genesis, wraps } });
      const headers = { "content-type": "application/json" };
      return await outcome(await owner.send("/v1/namespaces", { method: "POST", body, headers }));
    };
    expect(await begin(box.genesis)).toBe("409 conflict");
    expect(await begin(await genesisOf(bob, "n"))).toBe("400 invalid");
    const forged = await signed(bob, { kind: "genesis", keys: keysOf(owner), nonce: "n", commit });
    expect(await begin(forged)).toBe("400 invalid");
    const other = [{ recipient: bob.admission.device.id, epoch: 1, wrap: "w" }];
    expect(await begin(await genesisOf(owner, "n2"), other)).toBe("400 invalid");
    expect(await begin(await genesisOf(owner, "n2"))).toBe("201");
  });

  test("[EE12] neither a link for machines nor a rule for jobs opens an encrypted namespace, and the reason is said", async () => {
    const { owner, box } = await placed();
    const { id: plain } = await owner.createNamespace("plain");
    const ask = async (namespace: string, said: object = {}): Promise<Response> => {
      const authHash = "A".repeat(43);
      const body = JSON.stringify({ kind: "ci", namespace, authHash, ...said });
      const headers = { "content-type": "application/json" };
      return await owner.send("/v1/links", { method: "POST", body, headers });
    };
    const job = { provider: "github", repository: "acme/app" };
    for (const said of [{}, { role: "reader", uses: 1 }, { ephemeral: true }, { job }]) {
      const refused = await ask(box.id, said);
      expect(refused.status).toBe(400);
      expect(await bodyText(refused)).toContain("Machines come into no encrypted namespace");
    }
    expect(await owner.call("GET", "/v1/links")).toEqual({ links: [] });
    expect(await outcome(await ask(plain))).toBe("201");
    const person = { kind: "invite", role: "reader" };
    expect(await outcome(await ask(box.id, person))).toBe("201");
  });

  test("[EE9] a device without a key for wraps is told of no encrypted namespace", async () => {
    const { owner, box, invite } = await placed();
    const listed = async (client: TestClient) =>
      ((await client.hello()).namespaces ?? []).map(({ id }) => id);
    expect(await listed(owner)).toContain(box.id);
    expect((await owner.hello()).sealingKey).toBe(true);
    const bob = await invite("bob", "writer");
    expect(await listed(bob)).toContain(box.id);
    const shown = (await box.keys(owner)).devices.map(({ id }) => id);
    expect(new Set(shown)).toEqual(new Set([owner.admission.device.id, bob.admission.device.id]));
  });
}

const ghost = (of: TestClient, at: number): string => `${of.admission.user.id.slice(0, 40)}_${at}`;

/** Entries that let in devices of somebody's which nobody has. */
function ghostsOf(of: TestClient, count: number, from = 0): readonly Said[] {
  return Array.from({ length: count }, (_, at) => {
    const keys = { ...keysOf(of), device: ghost(of, from + at) };
    return { kind: "admit", keys, role: "member" };
  });
}

async function answerOf(response: Response): Promise<PushAnswer> {
  const text = await bodyText(response);
  if (response.status !== 200) throw new Error(text);
  return JSON.parse(text) as PushAnswer;
}
