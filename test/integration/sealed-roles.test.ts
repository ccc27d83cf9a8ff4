import { afterEach, expect, test } from "vitest";
import { openVault, type Vault } from "./vault.ts";

const signal = new AbortController().signal;
let vault: Vault;

afterEach(() => {
  vault.world.close();
});

/** Whom the last entries of the log name, and as what. */
function lastSaid(count: number): readonly (readonly [device: string, role: string])[] {
  return vault
    .state()
    .log.slice(-count)
    .map(({ entry }) => {
      const payload = Buffer.from(entry.split(".")[1] ?? "", "base64url").toString();
      const { keys, role } = JSON.parse(payload) as { keys: { device: string }; role: string };
      return [keys.device, role] as const;
    });
}

test("[EE25] a person's devices lose the right together, the one that says so last, and no recovery code", async () => {
  vault = await openVault();
  const { world, id } = vault;
  await vault.letIn();
  const people = await world.a.keeper.people(id, signal);
  if (!people.ok) throw new Error(people.error.message);
  expect([...people.value.values()]).toEqual(["admin"]);
  const [user = ""] = people.value.keys();
  const before = vault.state().log.length;
  const dry = await world.a.keeper.entitle(id, { user, role: "member", isDry: true }, signal);
  const both = { devices: 2, changed: [expect.any(String), expect.any(String)] };
  expect(dry).toMatchObject({ ok: true, value: both });
  expect(vault.state().log).toHaveLength(before);
  const done = await world.a.keeper.entitle(id, { user, role: "member" }, signal);
  expect(done).toEqual(dry);
  expect(lastSaid(2)).toEqual([
    [world.b.id, "member"],
    [world.a.id, "member"],
  ]);
  const after = await world.b.keeper.people(id, signal);
  expect(after.ok && [...after.value]).toEqual([[user, "member"]]);
  for (const device of [world.a, world.b]) {
    const refused = await device.keeper.rotate(id, signal);
    expect(refused).toMatchObject({ error: { code: "needs-admin-device" } });
    // Nor does any of them take the right back.
    const again = await device.keeper.entitle(id, { user, role: "admin" }, signal);
    expect(again).toMatchObject({ error: { code: "needs-admin-device" } });
  }
  expect(await world.b.keeper.entitle(id, { user, role: "member" }, signal)).toEqual({
    ok: true,
    value: { devices: 2, changed: [] },
  });
});
