import { afterEach, expect, test } from "vitest";
import { systemTimers } from "../../apps/client/src/platform/timers.ts";
import type { ScrubbedFields } from "../../apps/client/src/store/store.ts";
import { createHttpTransport } from "../../apps/client/src/sync/http-transport.ts";
import { stateOfForm } from "../../apps/server/src/store/stored-form.ts";
import { compactState, type RecordId } from "../../packages/protocol/src/index.ts";
import { openVault, type Vault } from "./vault.ts";
import type { Device } from "./world.ts";

const signal = new AbortController().signal;
let vault: Vault;

afterEach(() => {
  vault.world.close();
});

const titles = (device: Device): readonly unknown[] =>
  device.store.reads.records("observation", [vault.id]).map(({ fields }) => fields["title"]);

const lost = (device: Device): readonly unknown[] =>
  device.store.reads.conflicts({ namespaces: [vault.id] }).map(({ value }) => value);

/** Delivers a record that the server has, under a later wall time, as anybody who writes there can. */
async function bendTime(collection: string): Promise<void> {
  const states = [...vault.state().records.values()].map(({ form }) => stateOfForm(form));
  const state = states.find((one) => one.collection === collection);
  if (state === undefined) throw new Error(`no ${collection}`);
  const line = compactState(state) as { readonly at: number; readonly fields: object };
  const at = line.at + 1;
  const fields = collection === "conflict" ? { ...line.fields, lostAt: at } : line.fields;
  const transport = createHttpTransport({ caller: vault.world.b.caller, timers: systemTimers });
  const lines = [JSON.stringify({ ...line, at, fields })];
  const healed = await transport.heal(
    vault.id,
    { header: { lamport: 1, want: [] }, lines },
    signal,
  );
  expect(healed).toMatchObject({ ok: true, value: { tail: { refused: [] } } });
}

function set(device: Device, title: string): void {
  const fields = { title } as unknown as ScrubbedFields;
  const change = { kind: "set", id: "r1" as RecordId, fields } as const;
  const changed = device.store.changes.change(vault.id, [change], vault.world.clock.nowMs());
  expect(changed.ok).toBe(true);
}

test("[EE1] a sealed value that is delivered under another wall time opens, and goes on", async () => {
  vault = await openVault();
  await vault.letIn();
  const { a, b } = vault.world;
  vault.save(a, "r1", "the words");
  await vault.settle();
  await bendTime("observation");
  await vault.settle();
  for (const device of [a, b]) {
    expect(titles(device)).toEqual(["the words"]);
    expect(device.store.replicas.replica(vault.id)).toMatchObject({ verified: true });
    expect(device.store.replicas.sealing(vault.id)).toMatchObject({ trouble: undefined });
  }
  set(b, "other words");
  await vault.settle();
  expect([titles(a), titles(b)]).toEqual([["other words"], ["other words"]]);
  const past = a.store.reads.history(vault.id, "r1" as RecordId).at(-1);
  expect(past).toMatchObject({ value: "the words", state: "past", at: vault.world.clock.nowMs() });
});

test("[EE1] a kept losing value that is delivered under another wall time opens", async () => {
  vault = await openVault();
  await vault.letIn();
  const { a, b } = vault.world;
  vault.save(a, "r1", "the words");
  await vault.settle();
  set(a, "from a");
  set(b, "from b");
  await vault.settle();
  const before = lost(a);
  expect(before).toHaveLength(1);
  await bendTime("conflict");
  await vault.settle();
  expect([lost(a), lost(b)]).toEqual([before, before]);
});
