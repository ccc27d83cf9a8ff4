import { expect, test } from "vitest";
import { errorKinds, familyOf, isErrorCode } from "../errors.ts";
import {
  acceptRequestSchema,
  deviceKeySchema,
  healHeaderSchema,
  healTailSchema,
  joinRequestSchema,
  nameSchema,
  namespaceInfoSchema,
  opResultSchema,
  positionSchema,
  problemSchema,
  pushHeaderSchema,
} from "./index.ts";

const chain = "0".repeat(64);

test("[WR3] every error code has a status, a family and one sentence", () => {
  for (const [code, kind] of Object.entries(errorKinds)) {
    expect(isErrorCode(code)).toBe(true);
    expect(kind.status).toBeGreaterThanOrEqual(400);
    expect(kind.title).toMatch(/\.$/);
  }
  expect(familyOf("writer-position")).toBe("heal");
  expect(isErrorCode("toString")).toBe(false);
});

test("[WR3] a problem of a later version is still understood by its family", () => {
  const later = { type: "about:blank", title: "?", status: 418, code: "teapot", family: "retry" };
  expect(problemSchema.parse({ ...later, extra: 1 })).toMatchObject({ extra: 1 });
});

test("[WR1] envelopes refuse what is not theirs", () => {
  expect(pushHeaderSchema.safeParse({ writer: "w", after: 0, chain }).success).toBe(true);
  expect(pushHeaderSchema.safeParse({ writer: "w", after: -1, chain }).success).toBe(false);
  expect(pushHeaderSchema.safeParse({ writer: "a b", after: 0, chain }).success).toBe(false);
  expect(pushHeaderSchema.safeParse({ writer: "w", after: 0, chain: "zz" }).success).toBe(false);
});

test("[WR1] positions carry the results of the last accepted push", () => {
  const results = [
    { n: 1, result: "conflict" },
    { n: 2, result: "rejected", code: "too-large" },
  ];
  expect(positionSchema.parse({ acked: 2, chain, since: 0, results })).toMatchObject({ results });
  expect(
    positionSchema.safeParse({ acked: 2, chain, since: 0, results: [{ n: 1, result: "rejected" }] })
      .success,
  ).toBe(false);
});

test("[WR38] results and codes of a later version are refusals of that name", () => {
  const cases: readonly (readonly [given: object, read: object | undefined])[] = [
    [
      { n: 1, result: "rejected", code: "needs-review", by: "x" },
      { n: 1, result: "rejected", code: "needs-review" },
    ],
    [
      { n: 1, result: "deferred", untilMs: 5 },
      { n: 1, result: "rejected", code: "deferred" },
    ],
    [
      { n: 1, result: "conflict", with: "r2" },
      { n: 1, result: "conflict" },
    ],
    [{ n: 1, result: "rejected" }, undefined],
    [{ n: 1, result: "rejected", code: "" }, undefined],
    [{ n: 1, result: "rejected", code: "x".repeat(65) }, undefined],
    [{ n: 1, result: 7 }, undefined],
    [{ n: -1, result: "deferred" }, undefined],
  ];
  for (const [given, read] of cases) expect(opResultSchema.safeParse(given).data).toEqual(read);
  const head = { head: 1, mark: "m", lamport: 1, digest: "0".repeat(16), count: 0 };
  const refused = [{ id: "r1", code: "needs-review" }];
  expect(healTailSchema.parse({ ...head, refused })).toMatchObject({ refused });
});

test("[WR39] roles and kinds of a later version make a writer of a team", () => {
  const info = { id: "ns_1", name: "acme", kind: "team", role: "admin", head: 3 };
  expect(namespaceInfoSchema.parse({ ...info, topic: "x" })).toEqual(info);
  expect(namespaceInfoSchema.parse({ ...info, kind: "project", role: "curator" })).toEqual({
    ...info,
    role: "writer",
  });
  for (const odd of [{ role: 7 }, { role: "" }, { kind: null }, { kind: "x".repeat(65) }]) {
    expect(namespaceInfoSchema.safeParse({ ...info, ...odd }).success).toBe(false);
  }
});

test("[WR4] a device key is an Ed25519 public key and nothing more", () => {
  const x = "A".repeat(43);
  expect(deviceKeySchema.safeParse({ kty: "OKP", crv: "Ed25519", x }).success).toBe(true);
  expect(deviceKeySchema.safeParse({ kty: "OKP", crv: "Ed25519", x, d: x }).success).toBe(false);
});

test("[WR1] ids and secrets in requests are plain text: a NUL would reach the database", () => {
  const key = { kty: "OKP", crv: "Ed25519", x: "A".repeat(43) };
  const join = {
    id: "l".repeat(16),
    auth: "a".repeat(43),
    mac: "m".repeat(43),
    device: { name: "laptop", platform: "linux", key },
  };
  expect(joinRequestSchema.safeParse(join).success).toBe(true);
  expect(acceptRequestSchema.safeParse(join).success).toBe(true);
  for (const name of ["id", "auth", "mac"] as const) {
    const odd = { ...join, [name]: `${join[name].slice(1)}\0` };
    expect(joinRequestSchema.safeParse(odd).success).toBe(false);
    expect(acceptRequestSchema.safeParse(odd).success).toBe(name === "mac");
  }
  expect(healHeaderSchema.safeParse({ lamport: 1, want: ["r1"] }).success).toBe(true);
  expect(healHeaderSchema.safeParse({ lamport: 1, want: ["r1\0"] }).success).toBe(false);
});

test("[CN4] names are one line without control or invisible characters", () => {
  expect(nameSchema.parse("  laptop-a ")).toBe("laptop-a");
  for (const name of ["", " ", "a\nb", "a\u001b[31m", "a\u202eb", "x".repeat(65)]) {
    expect(nameSchema.safeParse(name).success).toBe(false);
  }
  for (const blank of [
    "\u3164",
    "\u115F\u1160",
    "a\u034Fb",
    "\u2800",
    "a\uFFA0",
    "\uFE0F",
    "\uD800",
  ]) {
    expect(nameSchema.safeParse(blank).success).toBe(false);
  }
  for (const name of ["★", "Küche (Größe)", "❤\uFE0F", "맥북", "لابتوب"]) {
    expect(nameSchema.parse(name)).toBe(name);
  }
});
