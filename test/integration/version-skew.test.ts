/**
 * A device two versions behind its server and its peers: it syncs what it knows, and loses nothing
 * of what it does not know. Device `a` is this build; what `b` writes and what the server adds to
 * its answers are a later version's.
 */
import { afterEach, describe, expect, test } from "vitest";
import {
  protocolVersion,
  unpairedNamespace,
  versionHeader,
  type RecordId,
} from "../../packages/protocol/src/index.ts";
import { systemTimers } from "../../apps/client/src/platform/timers.ts";
import type { ScrubbedFields } from "../../apps/client/src/store/store.ts";
import { createHttpTransport } from "../../apps/client/src/sync/http-transport.ts";
import type { PokeEvent } from "../../apps/client/src/sync/transport.ts";
import { later, laterEvents, laterHello, laterText, type Json } from "./later-server.ts";
import { createWorld, serverUrl, type Device, type Fate, type World } from "./world.ts";

let world: World;

afterEach(() => {
  world.close();
});

/** Values in shapes that this version has no use for. */
const laterFields = {
  title: "known",
  embedding: [0.1, -2.5e-7, 123_456_789.25],
  "körper/ü": { b: { d: [], c: null }, a: "\u2028 \ufeff?" },
};

/** Answers as a later server gives them: more members everywhere, and what `change` does to them. */
function laterServer(change: (path: string, body: Json) => Json = (_, body) => body): Fate {
  return async ({ url }, deliver) => {
    const response = await deliver();
    const path = new URL(url).pathname;
    const { status } = response;
    const headers = new Headers(response.headers);
    headers.delete("content-length");
    const type = headers.get("content-type") ?? "";
    if (type.includes("event-stream")) {
      return new Response(response.body?.pipeThrough(laterEvents()) ?? null, { status, headers });
    }
    const text = laterText(type, await response.text(), (body) => change(path, body));
    return new Response(text === "" ? null : text, { status, headers });
  };
}

function putLater(device: Device, id: string, collection: string, fields: object): void {
  const change = { id: id as RecordId, collection, fields: fields as ScrubbedFields };
  const changed = device.store.changes.change(
    unpairedNamespace,
    [{ kind: "put", ...change }],
    world.clock.nowMs(),
  );
  if (!changed.ok) throw new Error(JSON.stringify(changed.error));
}

/** The records that the server holds, as text by id; without seq, and who delivered them. */
async function heldByServer(device: Device): Promise<Readonly<Record<string, string>>> {
  const call = {
    method: "GET",
    path: `/v1/namespaces/${world.namespace}/records`,
    accept: "application/x-ndjson",
  } as const;
  const answer = await device.caller.text(call, new AbortController().signal);
  if (!answer.ok) throw new Error(answer.error.code);
  const records = answer.value.trimEnd().split("\n").slice(0, -1);
  return Object.fromEntries(
    records.map((line) => {
      const { id, collection, lamport, writer, at, fields, clocks } = JSON.parse(line) as Json;
      return [String(id), JSON.stringify({ collection, lamport, writer, at, fields, clocks })];
    }),
  );
}

async function settle(...devices: readonly Device[]): Promise<void> {
  for (let round = 0; round < 2; round += 1) for (const device of devices) await device.sync();
  for (const device of devices) expect(await device.sync()).toMatchObject({ isDone: true });
}

function digestOf({ store }: Device): unknown {
  return store.replicas.replica(world.namespace)?.confirmed;
}

function fieldsOf({ store }: Device, collection: string): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    store.reads.records(collection).map(({ id, fields }) => [id, JSON.stringify(fields)]),
  );
}

describe("[MG6] what a later device writes", () => {
  async function written(): Promise<{ readonly a: Device; readonly b: Device }> {
    world = await createWorld(laterServer());
    const { a, b } = world;
    putLater(b, "r1", "observation", laterFields);
    putLater(b, "p1", "playbook", { steps: [{ run: "make", "": 0.5 }], title: "release" });
    await settle(b, a);
    return { a, b };
  }

  test("is kept by a device that does not know it, byte for byte", async () => {
    const { a, b } = await written();
    for (const collection of ["observation", "playbook"]) {
      expect(fieldsOf(a, collection)).toEqual(fieldsOf(b, collection));
      expect(Object.keys(fieldsOf(a, collection))).toHaveLength(1);
    }
    expect(a.store.reads.records("playbook")[0]?.fields).toEqual({
      steps: [{ run: "make", "": 0.5 }],
      title: "release",
    });
    expect(digestOf(a)).toEqual(digestOf(b));
  });

  test("survives an edit of a known field by the old device, byte for byte", async () => {
    const { a, b } = await written();
    const before = fieldsOf(b, "observation")["r1"];
    a.set("r1", { title: "edited by the old one" });
    await settle(a, b);
    const after = JSON.parse(String(fieldsOf(b, "observation")["r1"])) as Json;
    expect(after["title"]).toBe("edited by the old one");
    expect(JSON.stringify({ ...after, title: "known" })).toBe(before);
    expect(digestOf(a)).toEqual(digestOf(b));
    expect(a.store.reads.conflicts()).toEqual([]);
  });

  test("is given back by the old device to a server that lost it, byte for byte", async () => {
    const { a, b } = await written();
    a.set("r1", { title: "edited by the old one" });
    await settle(a);
    const before = await heldByServer(a);
    expect(Object.keys(before).toSorted()).toEqual(["p1", "r1"]);
    await world.restoreServer();
    expect(await heldByServer(a)).toEqual({});
    await settle(a);
    expect(await heldByServer(a)).toEqual(before);
    await settle(b, a);
    expect(digestOf(b)).toEqual(digestOf(a));
    expect(fieldsOf(b, "playbook")).toEqual(fieldsOf(a, "playbook"));
  });

  test("is copied with the home, and forgotten like anything else", async () => {
    const { a, b } = await written();
    const twin = world.clone(a);
    expect(fieldsOf(twin, "playbook")).toEqual(fieldsOf(b, "playbook"));
    a.forget("p1");
    await settle(a, b);
    expect(b.store.reads.records("playbook")).toEqual([]);
    expect(digestOf(a)).toEqual(digestOf(b));
  });
});

describe("[WR38] results of a later server", () => {
  const named = [
    { n: 1, result: "rejected", code: "needs-review", reviewer: "ada" },
    { n: 2, result: "deferred", untilMs: 5 },
  ];

  test("consume their ops and stay visible; the rest of the push is taken", async () => {
    let isLater = true;
    world = await createWorld(
      laterServer((path, body) =>
        isLater && path.endsWith("/ops") && "results" in body
          ? { ...body, results: [...(body["results"] as unknown[]), ...named] }
          : body,
      ),
    );
    const { a, b } = world;
    for (const id of ["r1", "r2", "r3"]) a.put(id, { title: id });
    expect(await a.sync()).toMatchObject({ isDone: true });
    const refused = a.store.reads.rejected();
    expect(refused.map(({ record, code }) => [record, code])).toEqual([
      ["r1", "needs-review"],
      ["r2", "deferred"],
    ]);
    expect(a.titles()).toEqual({ r1: "r1", r2: "r2", r3: "r3" });
    isLater = false;
    for (const op of refused) expect(a.store.changes.retryRejected(op, 1).ok).toBe(true);
    await settle(a, b);
    expect(a.store.reads.rejected()).toEqual([]);
    expect(b.titles()).toEqual({ r1: "r1", r2: "r2", r3: "r3" });
    expect(digestOf(a)).toEqual(digestOf(b));
  });

  test("are understood in a position too, after the push's answer was lost", async () => {
    let isLost = true;
    const withNamed = (position: unknown): Json => {
      const { results, ...rest } = position as Json & { results: readonly unknown[] };
      return { ...rest, results: [...results, ...named] };
    };
    const server = laterServer((_, body) => {
      if (body["code"] === "writer-position") return withNamed(body);
      return body["position"] ? { ...body, position: withNamed(body["position"]) } : body;
    });
    world = await createWorld(async (request, deliver) => {
      const response = await server(request, deliver);
      if (!isLost || !request.url.endsWith("/ops")) return response;
      isLost = false;
      throw new Error("lost on the way back");
    });
    const { a } = world;
    for (const id of ["r1", "r2", "r3"]) a.put(id, { title: id });
    await settle(a);
    expect(isLost).toBe(false);
    const codes = a.store.reads.rejected().map(({ code }) => code);
    expect(codes).toEqual(["needs-review", "deferred"]);
    expect(a.titles()).toEqual({ r1: "r1", r2: "r2", r3: "r3" });
  });

  test("that refuse a healed state are told, and the heal ends", async () => {
    world = await createWorld(
      laterServer((path, body) =>
        path.endsWith("/heal") && "refused" in body
          ? { ...body, refused: [{ id: "r1", code: "needs-review", later: 1 }] }
          : body,
      ),
    );
    const { a } = world;
    a.put("r1", { title: "one" });
    await settle(a);
    await world.restoreServer();
    await a.sync();
    expect(a.reports).toContainEqual({ kind: "heal-left", left: 1 });
    expect(a.titles()).toEqual({ r1: "one" });
  });
});

describe("[WR39] a later server that still speaks this version", () => {
  test("is synced with, whatever it adds to hello, pages, answers and problems", async () => {
    world = await createWorld(
      laterServer((path, body) => {
        if (path !== "/v1/hello") return body;
        const namespaces = (body["namespaces"] as Json[] | undefined)?.map((one) => ({
          ...one,
          ...later,
          role: "curator",
        }));
        const { server } = body as { server: Json };
        return { ...body, ...laterHello(2), namespaces, server: { ...server, ...later } };
      }),
    );
    const { a, b } = world;
    a.put("r1", { title: "from a" });
    await settle(a, b);
    b.set("r1", { title: "from b" });
    b.put("r2", { title: "two" });
    b.forget("r2");
    await settle(b, a);
    expect(a.titles()).toEqual({ r1: "from b" });
    expect(digestOf(a)).toEqual(digestOf(b));
  });

  test("sends pokes with members and events that are passed over", async () => {
    world = await createWorld(laterServer());
    const { a } = world;
    const transport = createHttpTransport({ caller: a.caller, timers: systemTimers });
    const stop = new AbortController();
    const heard: PokeEvent[] = [];
    for await (const event of transport.pokes(stop.signal)) {
      heard.push(event);
      if (event.kind === "poke") stop.abort();
    }
    expect(heard[0]).toEqual({ kind: "open" });
    expect(heard[1]).toEqual({ kind: "poke", poke: { namespace: world.namespace, head: 0 } });
  });

  test("[WR35] is told this device's version with every request", async () => {
    const versions = new Set<string | null>();
    const server = laterServer((path, body) =>
      path === "/v1/hello" ? { ...body, ...laterHello(2) } : body,
    );
    world = await createWorld((request, deliver) => {
      versions.add(request.headers.get(versionHeader));
      return server(request, deliver);
    });
    world.a.put("r1", { title: "one" });
    await settle(world.a, world.b);
    expect([...versions]).toEqual([String(protocolVersion)]);
  });

  test("[WR32] that no longer does so is told of, and nothing is lost until it is", async () => {
    let oldest = protocolVersion + 1;
    world = await createWorld(
      laterServer((path, body) =>
        path === "/v1/hello"
          ? { ...body, protocol: { version: protocolVersion + 2, oldest } }
          : body,
      ),
    );
    const { a, b } = world;
    a.put("r1", { title: "kept" });
    const outcome = await a.sync();
    expect(outcome).toMatchObject({ isDone: false, failure: { code: "upgrade-client" } });
    expect(a.store.replicas.replica(world.namespace)?.unsent ?? 1).toBe(1);
    oldest = 1;
    await settle(a, b);
    expect(b.titles()).toEqual({ r1: "kept" });
  });
});

describe("[WR14] this server", () => {
  const versions: Readonly<Record<string, readonly [string | undefined, number, string]>> = {
    "takes silence for version 1": [undefined, 401, "invalid-token"],
    "talks to its own version": [String(protocolVersion), 401, "invalid-token"],
    "sends a client from the future to look for a newer server": ["3", 426, "upgrade-server"],
    "takes no version that is no number": ["one", 400, "invalid"],
    "takes no version before the first": ["0", 400, "invalid"],
  };
  for (const [name, [version, status, code]] of Object.entries(versions)) {
    test(name, async () => {
      world = await createWorld();
      const headers = version === undefined ? {} : { [versionHeader]: version };
      const { signal } = new AbortController();
      const url = `${serverUrl}/v1/devices`;
      const answer = await world.network.send({ method: "GET", url, headers, signal });
      expect(answer.status).toBe(status);
      expect(await new Response(answer.body).json()).toMatchObject({ code });
    });
  }
});
