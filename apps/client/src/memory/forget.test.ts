import type { NamespaceId, RecordId } from "@tidemark/protocol";
import { expect, test } from "vitest";
import type { Store } from "../store/store.ts";
import { pairedStore, settle } from "../store/testing/exchange.ts";
import { TestServer } from "../store/testing/test-server.ts";
import { scrubbed, seededRandom, testOptions } from "../store/testing/test-store.ts";
import { explain } from "./explain.ts";
import { forgetRecord } from "./forget.ts";
import { testScrub } from "./testing/scrub.ts";

const namespace = "ns_team" as NamespaceId;
const id = "of-ada-1" as RecordId;

function storeOf(server: TestServer, user: string, role: "reader" | "writer" | "admin"): Store {
  const identity = {
    device: { id: `dev_${user}`, name: user },
    user: { id: `usr_${user}`, name: user },
  };
  const store = pairedStore(server, { random: seededRandom(user), identity });
  store.replicas.takeNamespaces("server-1", [
    { id: namespace, name: "team", kind: "team", role, head: 0 },
  ]);
  return store;
}

/** Grace's store, with a record that ada made in it. */
function graceWith(role: "reader" | "writer" | "admin"): Store {
  const server = new TestServer(namespace);
  const ada = storeOf(server, "ada", "writer");
  const fields = scrubbed({ title: "of ada", createdAt: 1 });
  ada.changes.change(namespace, [{ kind: "put", id, collection: "observation", fields }], 1);
  server.writers = [
    {
      writer: ada.replicas.replica(namespace)?.writer as never,
      device: "dev_ada" as never,
      deviceName: "ada",
      user: "usr_ada" as never,
      userName: "ada",
    },
  ];
  settle(ada, server);
  const grace = storeOf(server, "grace", role);
  settle(grace, server);
  return grace;
}

function forget(store: Store) {
  const { clock, random, sha256 } = testOptions();
  return forgetRecord({ store, scrub: testScrub(), clock, random, sha256 }, id);
}

test("[NS19] a writer's forgetting of a team-mate's record is refused and nothing is gone", () => {
  const grace = graceWith("writer");
  const refused = forget(grace);
  expect(refused).toEqual({ ok: false, error: { kind: "not-author", id, namespace } });
  expect(grace.reads.get(namespace, id)?.fields["title"]).toBe("of ada");
  expect(grace.replicas.replica(namespace)).toMatchObject({ unsent: 0 });
  const { hint } = explain({ kind: "not-author", id, namespace });
  expect(hint).toContain(`tidemark archive ${id}`);
});

test("[NS19] an admin may forget it, a reader is told of their role", () => {
  expect(forget(graceWith("admin"))).toMatchObject({ ok: true });
  expect(forget(graceWith("reader"))).toMatchObject({ ok: false, error: { kind: "read-only" } });
});
