import { conflictRecord, type RecordId, type WriterId } from "@tidemark/protocol";
import { expect, test } from "vitest";
import { createSecretCheck } from "../platform/secret-look/secret-check.ts";
import { createMemoryStore } from "../store/memory/memory-store.ts";
import { heal } from "./heal.ts";
import { lineOf, live } from "./testing/states.ts";
import { createWorld, sha256, type World } from "./testing/world.ts";

const writer = "wa" as WriterId;
/** Put together here, so that no file holds one. */
const token = ["ghp", "Q7hX2mVd9Lr4TnB6yKcW8sJf3GzP5u0aEeRt"].join("_");

async function deliver(place: World, lines: readonly string[], secrets = createSecretCheck()) {
  const header = { lamport: 5, want: [] };
  const { namespace, owner: device } = place;
  const deps = { ...place.deps, secrets };
  return await heal(deps, { namespace, device, header, lines });
}

test("[SC60] a state with a secret is refused by itself, and told without it", async () => {
  const world = await createWorld(createMemoryStore({ clock: { nowMs: () => 1 } }));
  const answer = await deliver(world, [
    lineOf(live("r1", { title: [`cloned with ${token}`, 5, writer] })),
    lineOf(live("r2", { title: ["the token of the session", 6, writer] })),
  ]);
  expect(answer).toMatchObject({
    value: { tail: { head: 1, count: 1, refused: [{ id: "r1", code: "secret-detected" }] } },
  });
  expect(JSON.stringify(answer)).not.toContain(token.slice(4));
  expect([...(await world.pullAll()).states.keys()]).toEqual(["r2"]);
});

test("[SC60] of a heal with a line that cannot be read no look goes on", async () => {
  const world = await createWorld(createMemoryStore({ clock: { nowMs: () => 1 } }));
  const secrets = createSecretCheck();
  let dropped = 0;
  const watched: typeof secrets = {
    ...secrets,
    look: (lines) => ({ ...secrets.look(lines), drop: () => void (dropped += 1) }),
  };
  const fine = lineOf(live("r1", { title: ["stands", 5, writer] }));
  expect(await deliver(world, [fine, "{}"], watched)).toMatchObject({ ok: false });
  expect(dropped).toBe(1);
  await deliver(world, [fine], watched);
  expect(dropped).toBe(1);
});

test("[SC60] a value that lost is looked at under the name of its field", async () => {
  const world = await createWorld(createMemoryStore({ clock: { nowMs: () => 1 } }));
  const lost = (value: string) =>
    lineOf(
      conflictRecord(sha256, "r2" as RecordId, "title", {
        value,
        clock: { lamport: 3, writer },
        at: 7,
      }),
    );
  const parent = lineOf(live("r2", { title: ["stands", 6, writer] }));
  const answer = await deliver(world, [parent, lost(`was ${token}`), lost("was a word")]);
  expect(answer).toMatchObject({
    value: { tail: { count: 2, refused: [{ code: "secret-detected" }] } },
  });
});
