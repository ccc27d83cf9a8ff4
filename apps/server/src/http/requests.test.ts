import {
  emptyDigest,
  limits,
  tombstone,
  type NamespaceId,
  type RecordId,
} from "@tidemark/protocol";
import { bucketAnswerSchema, ndjsonType, problemSchema } from "@tidemark/protocol/wire";
import { brotliCompressSync, gzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { emptyAccounts } from "../store/memory/account-state.ts";
import { createMemoryStore } from "../store/memory/memory-store.ts";
import { StoreUnavailable } from "../store/store-unavailable.ts";
import { storedForm } from "../store/stored-form.ts";
import { createTestClock } from "../auth/testing/auth-deps.ts";
import { routeTable } from "./route-table.ts";
import { bodyText, createHarness } from "./testing/harness.ts";
import { ask, claimServer, createTestWriter, outcome, push } from "./testing/client.ts";

async function claimed() {
  const harness = createHarness();
  const owner = await claimServer(harness);
  const { namespaces = [] } = await owner.hello();
  return { harness, owner, personal: namespaces[0]?.id ?? ("" as NamespaceId) };
}

test("[WR12] a body that is too large is refused before it is read to its end", async () => {
  const { owner, personal } = await claimed();
  const big = "x".repeat(limits.pushBytesMax + 1);
  expect(await outcome(await push(owner, personal, big))).toBe("413 too-large");
  const lying = await push(owner, personal, "x", {
    "content-length": String(limits.pushBytesMax + 1),
  });
  expect(await outcome(lying)).toBe("413 too-large");
  const json = {
    method: "POST",
    body: `{"name":"${"x".repeat(70_000)}"}`,
    headers: { "content-type": "application/json" },
  };
  expect(await outcome(await owner.send("/v1/namespaces", json))).toBe("413 too-large");
});

test("[WR12] a small gzip that grows beyond the limit is refused", async () => {
  const { owner, personal } = await claimed();
  const bomb = Uint8Array.from(gzipSync(Buffer.alloc(50_000_000)));
  expect(bomb.byteLength).toBeLessThan(limits.pushBytesMax);
  const gzip = { "content-encoding": "gzip" };
  expect(await outcome(await push(owner, personal, bomb, gzip))).toBe("413 too-large");
  expect(await outcome(await push(owner, personal, "no gzip", gzip))).toBe("400 invalid");
});

test("[WR12] encodings that pack tighter, and media types of other routes, are refused", async () => {
  const { owner, personal } = await claimed();
  const body = createTestWriter("writer_a").body(["one"]);
  const refused = "415 unsupported-media-type";
  for (const encoding of ["br", "zstd", "deflate", "gzip, gzip", "x"]) {
    const packed = Uint8Array.from(brotliCompressSync(body));
    expect(
      await outcome(await push(owner, personal, packed, { "content-encoding": encoding })),
    ).toBe(refused);
  }
  for (const type of ["application/json", "text/plain", "", `${ndjsonType}x`]) {
    expect(await outcome(await push(owner, personal, body, { "content-type": type }))).toBe(
      refused,
    );
  }
});

test("[WR12] text that is not UTF-8, and a header that is no JSON, are refused", async () => {
  const { owner, personal } = await claimed();
  const bodies = [
    Uint8Array.of(0xff),
    Uint8Array.of(0xc0, 0x80),
    Uint8Array.of(0xe2, 0x82),
    Uint8Array.of(0xef, 0xbb, 0xbf, 0x7b, 0x7d),
    Uint8Array.of(0xff, 0xfe, 0x7b, 0x00),
    new TextEncoder().encode("{"),
    new TextEncoder().encode("\n"),
    new TextEncoder().encode("[1]"),
    new TextEncoder().encode('{"writer":"a"}'),
    new TextEncoder().encode("[".repeat(100_000)),
  ];
  for (const body of bodies)
    expect(await outcome(await push(owner, personal, body))).toBe("400 invalid");
});

test("[WR15] queries are checked", async () => {
  const { owner, personal } = await claimed();
  const at = `/v1/namespaces/${personal}`;
  for (const query of [
    "limit=0",
    "limit=-1",
    "limit=1e3",
    "limit=a",
    "writer=a%20b",
    `after=${"x".repeat(513)}`,
  ]) {
    expect(await outcome(await owner.send(`${at}/records?${query}`))).toBe("400 invalid");
  }
  for (const bucket of ["256", "-1", "a", "", "1.5", "1e2"]) {
    expect(await outcome(await owner.send(`${at}/digests?bucket=${bucket}`))).toBe("400 invalid");
  }
  for (const query of ["limit=0", "limit=a", "after=", "after=a%20b", `after=${"x".repeat(65)}`]) {
    expect(await outcome(await owner.send(`${at}/digests?bucket=1&${query}`))).toBe("400 invalid");
  }
  expect((await owner.send(`${at}/digests?bucket=255`)).status).toBe(200);
});

test("[HL40] who names a place or a number gets a page of a bucket, at most as long as the limit", async () => {
  const accounts = emptyAccounts();
  const store = createMemoryStore({ clock: createTestClock(), accounts });
  const owner = await claimServer(createHarness({ store }));
  const { namespaces = [] } = await owner.hello();
  const [{ id: personal } = { id: "" as NamespaceId }] = namespaces;
  const most = limits.bucketRecordsMax;
  const ids = Array.from({ length: most + 1 }, (_, index) => `r${1e6 + index}` as RecordId);
  for (const id of ids) {
    const form = storedForm(tombstone(id, "observation"));
    const row = { seq: 1, bucket: 7, digest: emptyDigest, bytes: 0, via: undefined };
    accounts.namespaces.get(personal)?.records.set(id, { ...row, form, author: undefined });
  }
  const ask = async (query: string): Promise<readonly [number, boolean | undefined]> => {
    const answer = await owner.send(`/v1/namespaces/${personal}/digests?bucket=7${query}`);
    const { records, more } = bucketAnswerSchema.parse(await answer.json());
    return [records.length, more];
  };
  expect(await ask("&limit=9999999")).toEqual([most, true]);
  expect(await ask(`&after=${ids[0] ?? ""}`)).toEqual([most, false]);
  expect(await ask("&limit=1")).toEqual([1, true]);
  expect(await ask("")).toEqual([most + 1, undefined]);
});

test("[WR15] unknown paths and other methods are 404 problems, never another route", async () => {
  const { harness, owner } = await claimed();
  const paths = [
    "/",
    "/v1",
    "/v1/unknown",
    "/v1//devices",
    "/V1/devices",
    "/v1/devices/",
    "/.env",
    "/metrics",
    "/v1/devices;a=b",
  ];
  for (const path of paths) expect(await outcome(await owner.send(path))).toBe("404 not-found");
  for (const method of ["PUT", "POST", "DELETE", "OPTIONS"]) {
    expect(await outcome(await owner.send("/v1/devices", { method }))).toBe("404 not-found");
  }
  const head = await ask(harness, "/v1/hello", { method: "HEAD" });
  expect(head.status).toBe(404);
  const override = await owner.send("/v1/devices", {
    headers: { "x-http-method-override": "DELETE" },
  });
  expect(override.status).toBe(200);
});

test("[WR15] every route but the open ones asks for a device", async () => {
  const { harness } = await claimed();
  const closed = Object.values(routeTable).filter(({ auth }) =>
    ["device", "person"].includes(auth),
  );
  expect(closed.length).toBeGreaterThan(20);
  for (const { method, path } of closed) {
    const response = await ask(harness, path.replaceAll(/:\w+/g, "some_id"), { method });
    expect(await outcome(response)).toBe("401 invalid-token");
  }
});

test("[WR16] answers carry an id and keep browsers out", async () => {
  const { harness } = await claimed();
  const response = await ask(harness, "/v1/devices", {
    headers: { origin: "https://evil.example" },
  });
  const { headers } = response;
  const { requestId } = problemSchema.parse(JSON.parse(await bodyText(response)));
  expect(headers.get("x-request-id")).toBe(requestId);
  expect(headers.get("content-type")).toBe("application/problem+json");
  expect(headers.get("x-content-type-options")).toBe("nosniff");
  expect(headers.get("content-security-policy")).toContain("default-src 'none'");
  expect(headers.get("cache-control")).toBe("no-store");
  expect(headers.get("strict-transport-security")).toContain("max-age");
  for (const name of ["access-control-allow-origin", "server", "x-powered-by"])
    expect(headers.get(name)).toBeNull();
});

test("[WR11] a failure inside answers 500 and says nothing of its cause, nor does the log quote it", async () => {
  const clock = createTestClock();
  const store = createMemoryStore({ clock });
  const fault = new Error('duplicate key (title)=("my secret memory")');
  const broken = {
    ...store,
    accounts: { ...store.accounts, devices: async () => await Promise.reject(fault) },
  };
  const harness = createHarness({ store: broken });
  const owner = await claimServer(harness);
  const response = await owner.send("/v1/devices");
  const text = await bodyText(response);
  expect(response.status).toBe(500);
  expect(Object.keys(JSON.parse(text) as object).toSorted()).toEqual([
    "code",
    "family",
    "requestId",
    "status",
    "title",
    "type",
  ]);
  expect(`${text}${harness.log.join("\n")}`).not.toContain("secret memory");
  expect(harness.log.some((line) => line.startsWith("request-failed"))).toBe(true);
});

test("[WR11] a database that is away is a reason to come back", async () => {
  const store = createMemoryStore({ clock: createTestClock() });
  const away = async () => await Promise.reject(new StoreUnavailable(new Error("gone")));
  const broken = {
    ...store,
    accounts: { ...store.accounts, devices: away },
    ping: async () => await Promise.resolve(false),
  };
  const harness = createHarness({ store: broken });
  const owner = await claimServer(harness);
  const response = await owner.send("/v1/devices");
  expect(response.headers.get("retry-after")).toBe("1");
  expect(await outcome(response)).toBe("503 unavailable");
  expect(await outcome(await ask(harness, "/readyz"))).toBe("503 unavailable");
  expect((await ask(harness, "/healthz")).status).toBe(200);
});

test("[OPS22] a server that drains is not ready any more", async () => {
  const { harness } = await claimed();
  expect((await ask(harness, "/readyz")).status).toBe(200);
  harness.app.drain();
  expect(await outcome(await ask(harness, "/readyz"))).toBe("503 unavailable");
});
