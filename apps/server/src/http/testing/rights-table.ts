import { ndjsonType } from "@tidemark/protocol/wire";
import type { RouteName } from "../route-table.ts";
import { createTestWriter, type Sending } from "./client.ts";
import type { Caller, Ids } from "./rights-world.ts";

/** Who gets which answer from a route, where all ids are of team A. */
export interface Expectation {
  /** The request, given the ids that it names. */
  readonly request: (ids: Ids) => Sending & { readonly path: string };
  /** The ids that a request may name, each of which may be somebody else's. */
  readonly ids: readonly (keyof Ids)[];
  /** Status and code. */
  readonly answers: Readonly<Record<Caller, string>>;
}

const absent = "404 not-found";

/** Who has no part in team A; none of them is told that there is one. */
const outside = {
  nobody: "401 invalid-token",
  stranger: absent,
  foreigner: absent,
  exMember: absent,
  waiting: absent,
  revoked: "401 device-revoked",
  foreignMachine: absent,
} as const;

/** A right that begins at a role; below it members are told so. */
function from(
  role: "reader" | "writer" | "admin" | "owner",
  granted: string,
  given: Partial<Record<Caller, string>> = {},
): Expectation["answers"] {
  const order = ["reader", "writer", "admin", "owner"] as const;
  const at = (one: (typeof order)[number]): string =>
    order.indexOf(one) >= order.indexOf(role) ? granted : "403 forbidden";
  const members = {
    reader: at("reader"),
    writer: at("writer"),
    admin: at("admin"),
    owner: at("owner"),
  };
  return { ...outside, ...members, machine: at("writer"), ...given };
}

/** What only people may call: a machine is told that it may not, before anything is looked up. */
const noMachines = { machine: "403 device-limited", foreignMachine: "403 device-limited" } as const;

/** One answer for every person's device. */
function people(
  granted: string,
  given: Partial<Record<Caller, string>> = {},
): Expectation["answers"] {
  return { ...devices(granted), ...noMachines, ...given };
}

/** One answer for every device. */
function devices(granted: string): Expectation["answers"] {
  return {
    nobody: outside.nobody,
    revoked: outside.revoked,
    stranger: granted,
    foreigner: granted,
    exMember: granted,
    waiting: granted,
    foreignMachine: granted,
    machine: granted,
    reader: granted,
    writer: granted,
    admin: granted,
    owner: granted,
  };
}

/** One answer for everyone; nobody is asked who they are. */
function everyone(granted: string): Expectation["answers"] {
  return { ...devices(granted), nobody: granted, revoked: granted };
}

const get = (path: string) => () => ({ path });
const json = (method: string, path: string, body: object) => ({
  method,
  path,
  body: JSON.stringify(body),
  headers: { "content-type": "application/json" },
});
const lines = (path: string, ...parts: readonly object[]) => ({
  method: "POST",
  path,
  body: `${parts.map((part) => JSON.stringify(part)).join("\n")}\n`,
  headers: { "content-type": ndjsonType },
});
const inNamespace = ({ namespace }: Ids): string => `/v1/namespaces/${namespace}`;
const secret = "s".repeat(43);

/**
 * Every route of the table with what each kind of caller gets. A route without a row here does not
 * compile, and one that is left out of the table fails the test.
 */
export const rightsTable: Readonly<Record<RouteName, Expectation>> = {
  health: { request: get("/healthz"), ids: [], answers: everyone("200") },
  ready: { request: get("/readyz"), ids: [], answers: everyone("200") },
  jwks: { request: get("/.well-known/jwks.json"), ids: [], answers: everyone("200") },
  openapi: { request: get("/v1/openapi.json"), ids: [], answers: everyone("200") },
  hello: { request: get("/v1/hello"), ids: [], answers: { ...devices("200"), nobody: "200" } },
  setup: {
    request: () =>
      json("POST", "/v1/setup", { secret, user: { name: "eve" }, device: strangeDevice }),
    ids: [],
    answers: everyone("409 already-claimed"),
  },
  join: {
    request: ({ link }) =>
      json("POST", "/v1/join", { id: link, auth: secret, mac: secret, device: strangeDevice }),
    ids: ["link"],
    answers: everyone("404 invalid-or-expired"),
  },
  joinJob: {
    request: ({ link }) =>
      json("POST", "/v1/join/job", { link, token: "a".repeat(40), device: strangeDevice }),
    ids: ["link"],
    answers: everyone("401 invalid-token"),
  },
  token: {
    request: ({ device }) => ({
      method: "POST",
      path: "/v1/auth/token",
      body: `client_id=${device}`,
      headers: { "content-type": "application/x-www-form-urlencoded" },
    }),
    ids: ["device"],
    answers: everyone("400 invalid"),
  },
  consoleLink: {
    request: () => json("POST", "/v1/console/links", {}),
    ids: [],
    answers: people("201"),
  },
  link: {
    request: ({ namespace }) =>
      json("POST", "/v1/links", { kind: "invite", authHash: secret, namespace, role: "writer" }),
    ids: ["namespace"],
    answers: from("admin", "201", noMachines),
  },
  linkState: {
    request: ({ link }) => ({ path: `/v1/links/${link}` }),
    ids: ["link"],
    answers: { ...people(absent), owner: "200" },
  },
  links: { request: get("/v1/links"), ids: [], answers: people("200") },
  linkRevoke: {
    request: ({ link }) => ({ method: "DELETE", path: `/v1/links/${link}?devices=revoke` }),
    ids: ["link"],
    answers: { ...people(absent), admin: "200", owner: "200" },
  },
  pairStart: {
    request: () => json("POST", "/v1/pair/start", {}),
    ids: [],
    answers: everyone("400 invalid"),
  },
  pairPoll: {
    request: () => json("POST", "/v1/pair/poll", { id: secret.slice(0, 16), secret }),
    ids: [],
    // Whoever signs a proof is heard; the request that they name is not there.
    answers: { ...everyone("404 invalid-or-expired"), nobody: "401 invalid-token" },
  },
  pairLookup: {
    request: () => json("POST", "/v1/pair/lookup", { code: "BCDFGHJK" }),
    ids: [],
    answers: people("404 invalid-or-expired"),
  },
  pairApprove: {
    request: () => json("POST", "/v1/pair/approve", { id: "7".repeat(16) }),
    ids: [],
    answers: people("409 pair-not-pending"),
  },
  pairDeny: {
    request: () => json("POST", "/v1/pair/deny", { id: "7".repeat(16) }),
    ids: [],
    answers: people("409 pair-not-pending"),
  },
  accept: {
    request: ({ link }) => json("POST", "/v1/invites/accept", { id: link, auth: secret }),
    ids: ["link"],
    answers: people("404 invalid-or-expired"),
  },
  audit: {
    request: ({ namespace }) => ({ path: `/v1/audit?namespace=${namespace}` }),
    ids: ["namespace"],
    answers: from("admin", "200", noMachines),
  },
  auditCheck: { request: get("/v1/audit/check"), ids: [], answers: people("403 forbidden") },
  devices: { request: get("/v1/devices"), ids: [], answers: people("200") },
  deviceLog: { request: get("/v1/devices/log"), ids: [], answers: people("200") },
  deviceRename: {
    request: ({ device }) => json("PATCH", `/v1/devices/${device}`, { name: "mine" }),
    ids: ["device"],
    answers: { ...people(absent), owner: "200" },
  },
  deviceRevoke: {
    request: ({ device }) => ({ method: "DELETE", path: `/v1/devices/${device}` }),
    ids: ["device"],
    answers: { ...people(absent), owner: "200" },
  },
  quarantine: {
    request: ({ device }) => json("POST", "/v1/quarantines", { device }),
    ids: ["device"],
    answers: { ...people(absent), admin: "200", owner: "200" },
  },
  quarantineLift: {
    request: ({ device }) => ({ method: "DELETE", path: `/v1/quarantines/${device}` }),
    ids: ["device"],
    // It is not under suspicion; who may lift one is the contract's.
    answers: people(absent),
  },
  namespaceCreate: {
    request: () => json("POST", "/v1/namespaces", { name: "new" }),
    ids: [],
    answers: people("201"),
  },
  sealingKey: {
    request: () => json("POST", "/v1/sealing-key", { statement: "a.b.c" }),
    ids: [],
    answers: people("200"),
  },
  // Of a namespace that is not encrypted there are none; `sealed.test.ts` has one that is.
  sealedKeys: {
    request: (ids) => ({ path: `${inNamespace(ids)}/keys` }),
    ids: ["namespace"],
    answers: from("reader", absent, noMachines),
  },
  sealedKeysChange: {
    request: (ids) =>
      json("POST", `${inNamespace(ids)}/keys`, { after: 0, entries: [], wraps: [] }),
    ids: ["namespace"],
    answers: from("reader", absent, noMachines),
  },
  namespacesDeleted: {
    request: get("/v1/namespaces/deleted"),
    ids: [],
    answers: people("200"),
  },
  namespaceDelete: {
    request: (ids) => ({ method: "DELETE", path: inNamespace(ids) }),
    ids: ["namespace"],
    answers: from("owner", "200", noMachines),
  },
  namespaceRestore: {
    request: (ids) => ({ method: "POST", path: `${inNamespace(ids)}/restore` }),
    ids: ["namespace"],
    // It is not deleted.
    answers: people(absent),
  },
  members: {
    request: (ids) => ({ path: `${inNamespace(ids)}/members` }),
    ids: ["namespace"],
    answers: from("reader", "200"),
  },
  memberRole: {
    request: (ids) => json("PATCH", `${inNamespace(ids)}/members/${ids.user}`, { role: "reader" }),
    ids: ["namespace", "user"],
    answers: from("admin", "200", noMachines),
  },
  memberRemove: {
    request: (ids) => ({ method: "DELETE", path: `${inNamespace(ids)}/members/${ids.user}` }),
    ids: ["namespace", "user"],
    // The member is the writer, and everybody may leave.
    answers: from("admin", "200", { ...noMachines, writer: "200" }),
  },
  waiting: {
    request: (ids) => ({ path: `${inNamespace(ids)}/waiting` }),
    ids: ["namespace"],
    answers: from("admin", "200", noMachines),
  },
  memberConfirm: {
    request: (ids) =>
      json("POST", `${inNamespace(ids)}/waiting/${ids.waiting}`, { role: "writer" }),
    ids: ["namespace", "waiting"],
    answers: from("admin", "200", noMachines),
  },
  memberDecline: {
    request: (ids) => ({
      method: "DELETE",
      path: `${inNamespace(ids)}/waiting/${ids.waiting}`,
    }),
    ids: ["namespace", "waiting"],
    answers: from("admin", "200", noMachines),
  },
  push: {
    request: (ids) => ({
      method: "POST",
      path: `${inNamespace(ids)}/ops`,
      body: createTestWriter(`${ids.record}-w`).body(["a push"]),
      headers: { "content-type": ndjsonType },
    }),
    ids: ["namespace"],
    // A reader's op is answered, and consumed as forbidden (NS5).
    answers: from("reader", "200"),
  },
  pull: {
    request: (ids) => ({
      path: `${inNamespace(ids)}/records?after=${ids.cursor}&writer=${ids.writer}`,
    }),
    ids: ["namespace", "cursor", "writer"],
    answers: from("reader", "200"),
  },
  digests: {
    request: (ids) => ({ path: `${inNamespace(ids)}/digests` }),
    ids: ["namespace"],
    answers: from("reader", "200"),
  },
  heal: {
    request: (ids) => lines(`${inNamespace(ids)}/heal`, { lamport: 0, want: [ids.record] }),
    ids: ["namespace", "record"],
    answers: from("reader", "200"),
  },
  revisions: {
    request: (ids) => ({ path: `${inNamespace(ids)}/records/${ids.record}/revisions` }),
    ids: ["namespace", "record"],
    answers: from("reader", "200"),
  },
  pokes: { request: get("/v1/pokes"), ids: [], answers: devices("200") },
};

const strangeDevice = {
  name: "eve",
  platform: "linux",
  key: { kty: "OKP", crv: "Ed25519", x: "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo" },
};
