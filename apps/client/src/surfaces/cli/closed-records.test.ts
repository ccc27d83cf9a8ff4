import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Sqlite from "better-sqlite3";
import { expect, test } from "vitest";
import { pair, settle } from "../../store/testing/exchange.ts";
import {
  box as namespace,
  boxDevice as device,
  boxKeys,
  boxLog,
  takeBoxKeys as takeKeys,
} from "../../store/testing/sealed-box.ts";
import { TestServer } from "../../store/testing/test-server.ts";
import { seededRandom, testStore } from "../../store/testing/test-store.ts";
import { at, put, set } from "../../store/testing/world.ts";
import type { Store } from "../../store/store.ts";
import type { CliDeps } from "./deps.ts";
import { closedNote, sealingTrouble } from "./render/sealing.ts";
import { runCli } from "./run-cli.ts";
import { createToldIo } from "./testing/told-io.ts";

async function run(store: Store, ...argv: readonly string[]) {
  const { io, told } = createToldIo();
  const deps = {
    io,
    clock: { nowMs: () => 1_700_000_000_000 },
    version: "0.0.0",
    signal: new AbortController().signal,
    memory: () => ({ store, hasSpooled: () => false }),
    home: () => ({ identity: () => undefined }),
  };
  const code = await runCli(deps as unknown as CliDeps, argv);
  return { code, ...told };
}

test("[EE28] an export says what it lacks because a key is not here, and does not end as done", async () => {
  const server = new TestServer(namespace);
  const a = device(server, "a", 1);
  expect(a.changes.change(namespace, [put("first", { title: "one" })], at).ok).toBe(true);
  settle(a, server);
  takeKeys(a, 1, 2);
  expect(a.changes.change(namespace, [put("second", { title: "two" })], at).ok).toBe(true);
  settle(a, server);
  const b = device(server, "b", 1, 3);
  settle(b, server);
  const cut = await run(b, "export", "--namespace", namespace);
  expect(cut.out.trimEnd().split("\n")).toHaveLength(1);
  expect(cut.code).toBe(1);
  expect(cut.err).toContain("values in 1 record are sealed under them and not part of this");
  expect(cut.err).toContain(`tidemark namespace recover ${namespace}`);
  b.replicas.takeSealing(boxLog(4), boxKeys());
  const waiting = await run(b, "export", "--namespace", namespace);
  expect(waiting.err).toContain(`tidemark namespace admit ${namespace}`);
  b.replicas.takeSealing(boxLog(4), boxKeys(1, 2, 3, 4));
  const whole = await run(b, "export", "--namespace", namespace);
  expect(whole).toMatchObject({ code: 0, err: "" });
  expect(whole.out.trimEnd().split("\n")).toHaveLength(2);
});

test("[EE28] a conflict that is sealed under a key which is not here is no word of there being none", async () => {
  const server = new TestServer(namespace);
  const a = device(server, "a", 1, 2);
  const c = device(server, "c", 1, 2);
  const b = device(server, "b", 1, 3);
  expect((await run(b, "conflicts")).out).toBe("no conflicts\n");
  expect(a.changes.change(namespace, [put("first", { title: "one" })], at).ok).toBe(true);
  settle(a, server);
  settle(c, server);
  for (const store of [a, c]) {
    const title = store === a ? "of a" : "of c";
    expect(store.changes.change(namespace, [set("first", { title })], at).ok).toBe(true);
    settle(store, server);
  }
  settle(b, server);
  const { out } = await run(b, "conflicts");
  expect(out).toBe("1 conflict, sealed under a key that is not here\nhint: tidemark status\n");
});

test("[EE29] a log that is not believed is told with the way on", () => {
  const [what, how] = sealingTrouble(namespace, { hasKey: true, trouble: "another log" });
  expect(what).toContain("nothing is sent there: another log");
  expect(how).toContain(`tidemark export --namespace ${namespace} --output FILE`);
  expect(how).toContain(`tidemark import FILE --namespace ${namespace}`);
});

test("[EE28] what status says of keys that are not here names them and the next step", () => {
  const one = closedNote(namespace, { missing: [2], closed: 1 });
  expect(one[0]).toBe(
    "warning: key 2 is not here: what is sealed under it is not shown, in 1 record",
  );
  expect(one[1]).toContain(`tidemark namespace recover ${namespace}`);
  const more = closedNote(namespace, { missing: [2, 4], closed: 3 });
  expect(more[0]).toContain("keys 2, 4 are not here: what is sealed under them");
  expect(closedNote(namespace, { missing: [2], closed: 0 })).toEqual([]);
});

test("[EE30] what waits for a key keeps no refused change from being sent again", async () => {
  const folder = mkdtempSync(join(tmpdir(), "tidemark-closed-"));
  const path = join(folder, "memory.db");
  const server = new TestServer(namespace);
  const before = testStore({ path, random: seededRandom("a") });
  takeKeys(before, 1, 2);
  pair(before, server);
  const make = (store: Store, record: string): void => {
    expect(store.changes.change(namespace, [put(record, { title: record })], at).ok).toBe(true);
  };
  make(before, "closed");
  before.close();
  const raw = new Sqlite(path);
  raw.prepare("DELETE FROM namespace_keys WHERE epoch = 2").run();
  raw.close();
  const a = testStore({ path, random: seededRandom("a again") });
  takeKeys(a, 1, 3);
  make(a, "refused");
  server.refusals.set("refused", "quota");
  settle(a, server);
  expect(a.reads.rejected().map(({ code }) => code)).toEqual(["no-key", "quota"]);
  const named = await run(a, "rejected", "retry", "closed");
  expect(named).toMatchObject({ code: 1 });
  expect(named.err).toContain(`sealed under a key of the namespace ${namespace} that is not here`);
  const all = await run(a, "rejected", "retry", "--all");
  expect(all).toMatchObject({ code: 0, err: "" });
  expect(all.out).toBe("sent again with the next sync: 1 change; 1 waits for a key\n");
  expect(a.reads.rejected().map(({ code }) => code)).toEqual(["no-key"]);
  a.close();
  rmSync(folder, { recursive: true, force: true });
});
