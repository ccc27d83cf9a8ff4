import { describe, expect, test } from "vitest";
import type { z } from "zod";
import { bucketCount } from "../digest.ts";
import { limits } from "../limits.ts";
import { roles } from "../roles.ts";
import {
  acceptRequestSchema,
  admissionSchema,
  bucketAnswerSchema,
  deviceKeySchema,
  deviceRenameSchema,
  devicesAnswerSchema,
  digestsAnswerSchema,
  healHeaderSchema,
  healTailSchema,
  helloSchema,
  jobRuleSchema,
  joinJobRequestSchema,
  joinRequestSchema,
  linkAnswerSchema,
  linkRequestSchema,
  linkStateSchema,
  membersAnswerSchema,
  nameSchema,
  namespaceInfoSchema,
  namespaceRequestSchema,
  ndjsonType,
  pokeSchema,
  positionSchema,
  problemSchema,
  problemType,
  pullTailSchema,
  pushAnswerSchema,
  pushHeaderSchema,
  revisionsAnswerSchema,
  roleRequestSchema,
  setupRequestSchema,
  tokenAnswerSchema,
} from "./index.ts";

const hash = "0123456789abcdef".repeat(4);
const digest = "0123456789abcdef";
const text43 = "A-_z".repeat(11).slice(0, 43);
const key = { kty: "OKP", crv: "Ed25519", x: text43 };
const device = { name: "laptop", platform: "linux x64", key };
const head = { head: 3, mark: "m1", lamport: 9 };
const results = [
  { n: 1, result: "conflict" },
  { n: 2, result: "forgotten" },
  { n: 3, result: "unknown-record" },
  { n: 4, result: "rejected", code: "immutable" },
];
const position = { acked: 4, chain: hash, since: 0, results };
const writers = [
  { writer: "w1", device: "dev_1", deviceName: "laptop", user: "usr_1", userName: "Ada" },
];
const user = { id: "usr_1", name: "Ada" };
const listed = (count: number): readonly Sample[] =>
  Array.from({ length: count }, () => ({
    id: "ns_1",
    name: "x",
    kind: "team",
    role: "writer",
    head: 0,
  }));

type Sample = Readonly<Record<string, unknown>>;

interface Envelope {
  readonly schema: z.ZodType;
  readonly sample: Sample;
  /** Members that may be left out, by path. */
  readonly optional?: readonly string[];
  /** Members that may hold anything, or any number. */
  readonly free?: readonly string[];
}

/** Every body of the wire, with all that it may carry. */
const envelopes: Readonly<Record<string, Envelope>> = {
  setup: {
    schema: setupRequestSchema,
    sample: { secret: "s".repeat(20), user: { name: "Ada" }, device },
  },
  join: {
    schema: joinRequestSchema,
    sample: { id: "l".repeat(8), auth: text43, mac: text43, device, user: { name: "Ada" } },
    optional: ["user"],
  },
  "join job": {
    schema: joinJobRequestSchema,
    sample: { token: "t".repeat(20), device, link: "l".repeat(8) },
    optional: ["link"],
  },
  "job rule": {
    schema: jobRuleSchema,
    sample: {
      provider: "github",
      issuer: "https://ci.example",
      repository: "acme/app",
      repositoryId: "11",
      ref: "refs/heads/main",
      environment: "prod",
    },
    optional: ["issuer", "repositoryId", "ref", "environment"],
  },
  accept: { schema: acceptRequestSchema, sample: { id: "l".repeat(8), auth: text43 } },
  admission: {
    schema: admissionSchema,
    sample: { server: { id: "srv" }, user, device: { id: "dev_1", name: "laptop" } },
  },
  "device key": { schema: deviceKeySchema, sample: key },
  "device rename": { schema: deviceRenameSchema, sample: { name: "laptop" } },
  devices: {
    schema: devicesAnswerSchema,
    sample: {
      devices: [
        {
          id: "dev_1",
          name: "laptop",
          platform: "linux x64",
          status: "active",
          pairedAt: 1,
          lastSeenAt: 2,
        },
      ],
    },
  },
  hello: {
    schema: helloSchema,
    sample: {
      protocol: { version: 1, oldest: 1 },
      features: ["heal"],
      server: { id: "srv", time: 5, version: "0.1.0" },
      limits: { idMax: 64 },
      user,
      device: { id: "dev_1", name: "laptop" },
      namespaces: [{ id: "ns_1", name: "acme", kind: "team", role: "admin", head: 3 }],
    },
    optional: ["user", "device", "namespaces"],
    free: ["limits.idMax"],
  },
  "link request": {
    schema: linkRequestSchema,
    sample: {
      kind: "invite",
      authHash: text43,
      namespace: "ns_1",
      role: "reader",
      ttlSeconds: 60,
    },
    optional: ["namespace", "role", "ttlSeconds"],
  },
  "link answer": { schema: linkAnswerSchema, sample: { id: "l1", expiresAt: 7 } },
  "link state": {
    schema: linkStateSchema,
    sample: {
      status: "used",
      device: { id: "dev_1", name: "laptop", joinedName: "box", thumbprint: text43 },
      mac: "mac",
    },
    optional: ["device", "mac"],
  },
  token: {
    schema: tokenAnswerSchema,
    sample: { access_token: "t", token_type: "DPoP", expires_in: 1 },
  },
  namespace: { schema: namespaceRequestSchema, sample: { name: "acme" } },
  members: { schema: membersAnswerSchema, sample: { members: [{ user, role: "owner" }] } },
  "member's role": { schema: roleRequestSchema, sample: { role: "writer" } },
  "push header": {
    schema: pushHeaderSchema,
    sample: { writer: "w1", after: 0, chain: hash, epoch: 2, epochEntry: hash },
    optional: ["epoch", "epochEntry"],
  },
  position: { schema: positionSchema, sample: position },
  "push answer": { schema: pushAnswerSchema, sample: { ...head, position, results } },
  "pull tail": {
    schema: pullTailSchema,
    sample: { ...head, cursor: "c", more: true, digest, count: 2, position, writers },
  },
  digests: {
    schema: digestsAnswerSchema,
    sample: {
      ...head,
      cursor: "c",
      digest,
      count: 2,
      buckets: Array.from({ length: bucketCount }, () => [digest, 1]),
    },
  },
  bucket: {
    schema: bucketAnswerSchema,
    sample: { records: [["r1", digest]], more: true },
    optional: ["more"],
  },
  "heal header": {
    schema: healHeaderSchema,
    sample: { writer: "w1", lamport: 4, want: ["r1"] },
    optional: ["writer"],
  },
  "heal tail": {
    schema: healTailSchema,
    sample: { ...head, digest, count: 2, refused: [{ id: "r1", code: "quota" }], writers },
    optional: ["writers"],
  },
  poke: { schema: pokeSchema, sample: { namespace: "ns_1", head: 3 } },
  revisions: {
    schema: revisionsAnswerSchema,
    sample: {
      revisions: [
        {
          field: "title",
          value: { any: ["thing"] },
          lamport: 3,
          writer: "w1",
          at: 0,
          replacedBy: { lamport: 4, writer: "w2" },
        },
      ],
      writers,
    },
    free: ["revisions.0.value", "revisions.0.value.any", "revisions.0.value.any.0"],
  },
  problem: {
    schema: problemSchema,
    sample: {
      type: "about:blank",
      title: "?",
      status: 409,
      code: "conflict",
      family: "reject",
      requestId: "q1",
      retryAfterMs: 0,
    },
    optional: ["requestId", "retryAfterMs"],
  },
};

interface Member {
  readonly path: string;
  readonly member: unknown;
}

/** Every member of a body, those inside other members too; of lists the first item. */
function membersOf(value: unknown, within = ""): readonly Member[] {
  if (typeof value !== "object" || value === null) return [];
  const entries = Object.entries(value);
  return (Array.isArray(value) ? entries.slice(0, 1) : entries).flatMap(([name, member]) => {
    const path = `${within}${name}`;
    return [{ path, member }, ...membersOf(member, `${path}.`)];
  });
}

/** A copy with one member replaced, or left out where `value` is undefined. */
function changed(sample: unknown, path: string, value: unknown): unknown {
  const copy = structuredClone(sample);
  const names = path.split(".");
  const last = names.pop() ?? "";
  let place = copy as Record<string, unknown>;
  for (const name of names) place = place[name] as Record<string, unknown>;
  if (value === undefined && !Array.isArray(place)) delete place[last];
  else place[last] = value;
  return copy;
}

/** What is of another type than the member, or a number that none of them may be. */
function oddFor(member: unknown): readonly unknown[] {
  return [{ odd: true }, [["odd"]], -1.5, ...(typeof member === "boolean" ? [] : [true])];
}

describe.each(Object.entries(envelopes))("[WR1] %s", (_, envelope) => {
  const { schema, sample, optional = [], free = [] } = envelope;
  const members = membersOf(sample).filter(({ path }) => !free.includes(path));

  test("reads all that it carries", () => {
    expect(schema.parse(structuredClone(sample))).toEqual(sample);
  });

  test("takes no member of another type", () => {
    for (const { path, member } of members) {
      for (const odd of oddFor(member)) {
        const body = changed(sample, path, odd);
        expect(schema.safeParse(body).success, `${path}: ${JSON.stringify(odd)}`).toBe(false);
      }
    }
  });

  test("lacks no member but those that may be left out", () => {
    const paths = members.map(({ path }) => path);
    const spare = paths.filter(
      (path) => schema.safeParse(changed(sample, path, undefined)).success,
    );
    expect(spare).toEqual(optional);
  });
});

const roomy = (length: number): string => "x".repeat(length);

test.each<readonly [string, string, unknown, boolean]>([
  ["setup", "secret", roomy(19), false],
  ["setup", "secret", roomy(128), true],
  ["setup", "secret", roomy(129), false],
  ["join", "id", roomy(7), false],
  ["join", "id", roomy(64), true],
  ["join", "id", roomy(65), false],
  ["join", "id", `${roomy(8)}\u007f`, false],
  ["join", "id", `\n${roomy(8)}`, false],
  ["join", "auth", ` ~${roomy(18)}`, true],
  ["join", "auth", roomy(19), false],
  ["join", "auth", roomy(128), true],
  ["join", "auth", roomy(129), false],
  ["join", "auth", `${roomy(20)}\n`, false],
  ["join", "auth", `\n${roomy(20)}`, false],
  ["join", "mac", roomy(129), false],
  ["join job", "token", "t".repeat(19), false],
  ["join job", "token", "t".repeat(8192), true],
  ["join job", "token", "t".repeat(8193), false],
  ["join job", "token", `${"t".repeat(20)} `, false],
  ["join job", "token", `${"t".repeat(20)}\n`, false],
  ["join job", "token", `=${"t".repeat(20)}`, false],
  ["join job", "link", roomy(7), false],
  ["join job", "link", roomy(65), false],
  ["join job", "link", `${roomy(8)}\n`, false],
  ["join job", "link", `\n${roomy(8)}`, false],
  ["job rule", "provider", "gitlab", true],
  ["job rule", "provider", "jenkins", false],
  ["job rule", "issuer", "", false],
  ["job rule", "issuer", "a".repeat(255), true],
  ["job rule", "issuer", "a".repeat(256), false],
  ["job rule", "issuer", "https://ci .example", false],
  ["job rule", "repository", "acme", false],
  ["job rule", "repository", "acme/group/app", true],
  ["job rule", "repository", "acme/*", false],
  ["job rule", "repository", "*/app", false],
  ["job rule", "repository", "acme//app", false],
  ["job rule", "repository", `a/${"b".repeat(253)}`, true],
  ["job rule", "repository", `a/${"b".repeat(254)}`, false],
  ["job rule", "repositoryId", "1".repeat(20), true],
  ["job rule", "repositoryId", "1".repeat(21), false],
  ["job rule", "repositoryId", "1a", false],
  ["job rule", "repositoryId", "a1", false],
  ["job rule", "ref", "refs/tags/v1", true],
  ["job rule", "ref", "refs/pull/1/merge", false],
  ["job rule", "ref", "main", false],
  ["job rule", "ref", "x/refs/heads/main", false],
  ["job rule", "environment", "", false],
  ["job rule", "environment", "on the way", true],
  ["job rule", "environment", "e".repeat(256), false],
  ["job rule", "environment", "a\nb", false],
  ["accept", "id", roomy(7), false],
  ["accept", "auth", roomy(19), false],
  ["device key", "x", `${text43}A`, false],
  ["device key", "x", `=${text43.slice(1)}`, false],
  ["device key", "x", `=${text43}`, false],
  ["device key", "kty", "EC", false],
  ["device key", "crv", "X25519", false],
  ["link request", "kind", "device", true],
  ["link request", "kind", "other", false],
  ["link request", "authHash", `${text43}A`, false],
  ["link request", "authHash", `=${text43}`, false],
  ["link request", "authHash", `=${text43.slice(1)}`, false],
  ["link request", "ttlSeconds", 59, false],
  ["link request", "ttlSeconds", 60.5, false],
  ["link request", "ttlSeconds", 31_536_000, true],
  ["link request", "ttlSeconds", 31_536_001, false],
  ["link state", "status", "open", true],
  ["link state", "status", "expired", true],
  ["link state", "status", "closed", false],
  ["link state", "device.thumbprint", `${text43}A`, false],
  ["link state", "device.thumbprint", `=${text43}`, false],
  ["link state", "device.thumbprint", `=${text43.slice(1)}`, false],
  ["link state", "mac", roomy(128), true],
  ["link state", "mac", roomy(129), false],
  ["token", "access_token", roomy(4096), true],
  ["token", "access_token", roomy(4097), false],
  ["token", "token_type", "Bearer", false],
  ["token", "expires_in", 0, false],
  ["devices", "devices.0.status", "revoked", true],
  ["devices", "devices.0.status", "lost", false],
  ["devices", "devices.0.lastSeenAt", null, true],
  ["devices", "devices.0.pairedAt", null, false],
  ["hello", "limits.idMax", "64", false],
  ["push header", "after", 2 ** 53, false],
  ["push header", "chain", `${hash}0`, false],
  ["push header", "chain", `g${hash}`, false],
  ["push header", "chain", hash.toUpperCase(), false],
  ["pull tail", "digest", `${digest}0`, false],
  ["pull tail", "digest", `g${digest}`, false],
  ["pull tail", "digest", digest.toUpperCase(), false],
  ["pull tail", "position", null, true],
  ["hello", "namespaces", listed(limits.namespacesMax), true],
  ["hello", "namespaces", listed(limits.namespacesMax + 1), false],
  ["pull tail", "more", false, true],
  ["pull tail", "cursor", roomy(512), true],
  ["pull tail", "cursor", roomy(513), false],
  ["pull tail", "mark", roomy(limits.idMax), true],
  ["pull tail", "mark", roomy(limits.idMax + 1), false],
  ["digests", "cursor", roomy(512), true],
  ["digests", "cursor", roomy(513), false],
  ["digests", "buckets", [[digest, 1]], false],
  ["position", "results", Array(limits.pushOpsMax).fill(results[0]), true],
  ["position", "results", Array(limits.pushOpsMax + 1).fill(results[0]), false],
  ["push answer", "results", Array(limits.pushOpsMax).fill(results[0]), true],
  ["push answer", "results", Array(limits.pushOpsMax + 1).fill(results[0]), false],
  ["heal header", "want", Array(limits.healRecordsMax).fill("r"), true],
  ["heal header", "want", Array(limits.healRecordsMax + 1).fill("r"), false],
  ["heal tail", "refused.0.code", roomy(limits.idMax), true],
  ["heal tail", "refused.0.code", roomy(limits.idMax + 1), false],
  ["heal tail", "refused.0.code", "", false],
  ["problem", "title", roomy(500), true],
  ["problem", "title", roomy(501), false],
  ["problem", "code", roomy(64), true],
  ["problem", "code", roomy(65), false],
  ["problem", "requestId", roomy(64), true],
  ["problem", "requestId", roomy(65), false],
  ["problem", "status", 400.5, false],
  ["problem", "retryAfterMs", -1, false],
  ["problem", "retryAfterMs", 0.5, true],
  ["problem", "family", "later", false],
])("[WR1] %s: %s", (name, path, value, isTaken) => {
  const envelope = envelopes[name];
  if (envelope === undefined) throw new Error(`no envelope ${name}`);
  const body = changed(envelope.sample, path, value);
  expect(envelope.schema.safeParse(body).success).toBe(isTaken);
});

test("[WR3] every family is understood", () => {
  const sample = envelopes["problem"]?.sample;
  for (const family of ["retry", "auth", "reject", "heal", "upgrade", "bug"]) {
    expect(problemSchema.safeParse({ ...sample, family }).success).toBe(true);
  }
});

test("[WR39] the kinds and roles of this version are read as what they are", () => {
  const info = { id: "ns_1", name: "acme", head: 3 };
  for (const kind of ["personal", "team"]) {
    for (const role of roles) {
      const given = { ...info, kind, role };
      expect(namespaceInfoSchema.parse(given)).toEqual(given);
    }
  }
  const later = { ...info, kind: roomy(64), role: roomy(64) };
  expect(namespaceInfoSchema.parse(later)).toEqual({ ...info, kind: "team", role: "writer" });
  expect(namespaceInfoSchema.safeParse({ ...later, kind: "" }).success).toBe(false);
  expect(namespaceInfoSchema.safeParse({ ...later, role: roomy(65) }).success).toBe(false);
});

test("[CN4] a name may be as long as its limit, counted without the blanks around it", () => {
  const name = roomy(limits.nameMax);
  expect(nameSchema.parse(` ${name} `)).toBe(name);
  for (const odd of ["\u0085a", "a\u2028b", "a\u2029b", "\u200bname", "name\u0000"]) {
    expect(nameSchema.safeParse(odd).success).toBe(false);
  }
});

test("[WR3] the media types are those that the standards name", () => {
  expect(problemType).toBe("application/problem+json");
  expect(ndjsonType).toBe("application/x-ndjson");
});
