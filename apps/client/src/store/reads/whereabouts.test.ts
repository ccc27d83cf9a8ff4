import type { NamespaceId, RecordId } from "@tidemark/protocol";
import { expect, test } from "vitest";
import type { Store } from "../store.ts";
import { pair, pairedStore, settle } from "../testing/exchange.ts";
import { TestServer } from "../testing/test-server.ts";
import { scrubbed, testStore } from "../testing/test-store.ts";

const namespace = "ns_1" as NamespaceId;

function change(
  store: Store,
  kind: "put" | "set",
  name: string,
  fields: object,
  into = namespace,
): void {
  const id = name as RecordId;
  const values = scrubbed(fields as never);
  const one =
    kind === "put"
      ? ({ kind, id, collection: "observation", fields: values } as const)
      : ({ kind, id, fields: values } as const);
  const made = store.changes.change(into, [one], 1);
  if (!made.ok) throw new Error(made.error.kind);
}

/** What a list tells of the same. */
function listed(store: Store): readonly unknown[] {
  return store.reads
    .list({})
    .map(({ id, kind, project, session, createdAt, filesModified, filesRead }) => {
      const files = [...new Set([...filesModified, ...filesRead])];
      return { id, namespace, kind, project, session, createdAt, files };
    })
    .toSorted((left, right) => (left.id < right.id ? -1 : 1));
}

function told(store: Store): readonly unknown[] {
  return store.reads.whereabouts().toSorted((left, right) => (left.id < right.id ? -1 : 1));
}

test("[DA9] whereabouts are those of the list, whatever waits and however often they are read", () => {
  const server = new TestServer(namespace);
  const store = pairedStore(server);
  const files = { filesModified: ["src/a.ts", "src/b.ts"], filesRead: ["src/b.ts", "README.md"] };
  change(store, "put", "confirmed", { title: "t", project: "p", session: "s", ...files });
  change(store, "put", "edited", { title: "t", kind: "decision", ...files });
  change(store, "put", "hidden", { title: "t", ...files });
  settle(store, server);
  change(store, "put", "waiting", { title: "t", filesModified: ["new.ts"] });
  change(store, "put", "odd", { title: "t", filesModified: "no list", filesRead: [7, "c.ts"] });
  expect(told(store)).toEqual(listed(store));

  change(store, "set", "edited", { filesModified: ["moved.ts"] });
  change(store, "set", "waiting", { title: "other words", filesRead: ["late.ts"] });
  change(store, "set", "hidden", { archived: true });
  expect(told(store)).toEqual(listed(store));
  expect(store.reads.whereabouts().length).toBe(4);
  settle(store, server);
  expect(told(store)).toEqual(listed(store));
  expect(store.reads.whereabouts()).toBe(store.reads.whereabouts());
});

test("[DA9] files of a sealed namespace are opened, sent or not", () => {
  const sealed = "nse_box" as NamespaceId;
  const server = new TestServer(sealed);
  const store = testStore();
  const key = (byte: number): Uint8Array => new Uint8Array(32).fill(byte);
  store.replicas.takeSealing(
    { namespace: sealed, length: 1, head: "h1", epoch: 1, name: "box", entries: [] },
    { namespace: sealed, names: key(99), epochs: new Map([[1, key(1)]]) },
  );
  pair(store, server);
  change(store, "put", "sealed", { title: "t", filesModified: ["src/a.ts"] }, sealed);
  const files = (): readonly string[] => store.reads.whereabouts().flatMap((one) => one.files);
  expect(files()).toEqual(["src/a.ts"]);
  settle(store, server);
  expect(JSON.stringify(server.states())).not.toContain("src/a.ts");
  expect(files()).toEqual(["src/a.ts"]);
  change(store, "set", "sealed", { filesModified: ["src/b.ts"] }, sealed);
  expect(files()).toEqual(["src/b.ts"]);
});
