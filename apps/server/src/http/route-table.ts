import { limits } from "@tidemark/protocol";
import { serverLimits } from "../limits.ts";
import type { BodyRule } from "./body.ts";
import type { Rate } from "./rate-limiter.ts";

/** Everything about a route but its work. */
export interface RouteRule {
  readonly method: "GET" | "POST" | "PATCH" | "DELETE";
  readonly path: string;
  /**
   * `open`: nobody is asked. `maybe`: who shows credentials must be right. `device`: must show.
   * `person`: a device that is bound to one namespace may not either (PR9).
   */
  readonly auth: "open" | "maybe" | "device" | "person";
  /** Null where no body is read. */
  readonly body: BodyRule | null;
  readonly rates: readonly Rate[];
  /** Whether it answers before the server has an owner (AU10). */
  readonly beforeClaim: boolean;
  /** Whether a client of another protocol version may call it (WR14). */
  readonly anyVersion: boolean;
}

const json: BodyRule = { media: "json", bytesMax: limits.jsonBodyBytesMax };
const form: BodyRule = { media: "form", bytesMax: limits.jsonBodyBytesMax };
const keysBody: BodyRule = { media: "json", bytesMax: limits.pushBytesMax };
const ops: BodyRule = { media: "ndjson", bytesMax: limits.pushBytesMax };
const states: BodyRule = { media: "ndjson", bytesMax: limits.healBytesMax };

const plain = { body: null, rates: [], beforeClaim: false, anyVersion: false } as const;
const open = { ...plain, auth: "open" } as const;
const device = { ...plain, auth: "device" } as const;
const person = { ...plain, auth: "person" } as const;
const foundation = { ...open, method: "GET", beforeClaim: true, anyVersion: true } as const;

const { ratesByServer, ratesByNetwork, ratesByDevice } = serverLimits;

const byServer = (route: keyof typeof ratesByServer): Rate => ({
  by: "server",
  perMinute: ratesByServer[route],
});
const byNetwork = (route: keyof typeof ratesByNetwork): Rate => ({
  by: "address",
  perMinute: ratesByNetwork[route],
});
const byDevice = (route: keyof typeof ratesByDevice): readonly Rate[] => [
  { by: "device", perMinute: ratesByDevice[route] },
];
const joinRates = [byNetwork("join"), byServer("join")];

const namespace = "/v1/namespaces/:namespace";

/**
 * Every route of the server (WR15). The application is made from this table and from a handler
 * under each of its names, so a route without rules, or rules without a route, do not compile.
 */
export const routeTable = {
  health: { ...foundation, path: "/healthz" },
  ready: { ...foundation, path: "/readyz", rates: [byNetwork("ready")] },
  jwks: { ...foundation, path: "/.well-known/jwks.json" },
  openapi: {
    ...foundation,
    beforeClaim: false,
    path: "/v1/openapi.json",
    rates: [byNetwork("openapi")],
  },
  hello: {
    ...foundation,
    auth: "maybe",
    path: "/v1/hello",
    rates: [byNetwork("hello"), ...byDevice("read")],
  },
  setup: {
    ...open,
    method: "POST",
    path: "/v1/setup",
    body: json,
    rates: [byNetwork("setup"), byServer("setup")],
    beforeClaim: true,
  },
  join: { ...open, method: "POST", path: "/v1/join", body: json, rates: joinRates },
  joinJob: {
    ...open,
    method: "POST",
    path: "/v1/join/job",
    body: json,
    rates: [byNetwork("joinJob"), byServer("joinJob")],
  },
  token: {
    ...open,
    method: "POST",
    path: "/v1/auth/token",
    body: form,
    rates: [byNetwork("token")],
  },
  consoleLink: {
    ...person,
    method: "POST",
    path: "/v1/console/links",
    rates: byDevice("link"),
  },
  link: { ...person, method: "POST", path: "/v1/links", body: json, rates: byDevice("link") },
  linkState: { ...person, method: "GET", path: "/v1/links/:link", rates: byDevice("linkState") },
  links: { ...person, method: "GET", path: "/v1/links", rates: byDevice("read") },
  linkRevoke: { ...person, method: "DELETE", path: "/v1/links/:link", rates: byDevice("link") },
  pairStart: {
    ...open,
    method: "POST",
    path: "/v1/pair/start",
    body: json,
    rates: [byNetwork("pairStart"), byServer("pairStart")],
  },
  pairPoll: {
    ...open,
    method: "POST",
    path: "/v1/pair/poll",
    body: json,
    rates: [byNetwork("pairPoll"), byServer("pairPoll")],
  },
  pairLookup: {
    ...person,
    method: "POST",
    path: "/v1/pair/lookup",
    body: json,
    rates: byDevice("pairDecide"),
  },
  pairApprove: {
    ...person,
    method: "POST",
    path: "/v1/pair/approve",
    body: json,
    rates: byDevice("pairDecide"),
  },
  pairDeny: {
    ...person,
    method: "POST",
    path: "/v1/pair/deny",
    body: json,
    rates: byDevice("pairDecide"),
  },
  accept: { ...person, method: "POST", path: "/v1/invites/accept", body: json, rates: joinRates },
  audit: { ...person, method: "GET", path: "/v1/audit", rates: byDevice("audit") },
  auditCheck: { ...person, method: "GET", path: "/v1/audit/check", rates: byDevice("auditCheck") },
  devices: { ...person, method: "GET", path: "/v1/devices", rates: byDevice("read") },
  deviceLog: { ...person, method: "GET", path: "/v1/devices/log", rates: byDevice("audit") },
  deviceRename: {
    ...person,
    method: "PATCH",
    path: "/v1/devices/:device",
    body: json,
    rates: byDevice("change"),
  },
  deviceRevoke: {
    ...person,
    method: "DELETE",
    path: "/v1/devices/:device",
    rates: byDevice("change"),
  },
  quarantine: {
    ...person,
    method: "POST",
    path: "/v1/quarantines",
    body: json,
    rates: byDevice("change"),
  },
  quarantineLift: {
    ...person,
    method: "DELETE",
    path: "/v1/quarantines/:device",
    rates: byDevice("change"),
  },
  namespaceCreate: {
    ...person,
    method: "POST",
    path: "/v1/namespaces",
    body: json,
    rates: byDevice("change"),
  },
  sealingKey: {
    ...person,
    method: "POST",
    path: "/v1/sealing-key",
    body: json,
    rates: byDevice("change"),
  },
  sealedKeys: { ...person, method: "GET", path: `${namespace}/keys`, rates: byDevice("read") },
  sealedKeysChange: {
    ...person,
    method: "POST",
    path: `${namespace}/keys`,
    body: keysBody,
    rates: byDevice("change"),
  },
  namespacesDeleted: {
    ...person,
    method: "GET",
    path: "/v1/namespaces/deleted",
    rates: byDevice("read"),
  },
  namespaceDelete: { ...person, method: "DELETE", path: namespace, rates: byDevice("change") },
  namespaceRestore: {
    ...person,
    method: "POST",
    path: `${namespace}/restore`,
    rates: byDevice("change"),
  },
  members: { ...device, method: "GET", path: `${namespace}/members`, rates: byDevice("read") },
  memberRole: {
    ...person,
    method: "PATCH",
    path: `${namespace}/members/:user`,
    body: json,
    rates: byDevice("change"),
  },
  memberRemove: {
    ...person,
    method: "DELETE",
    path: `${namespace}/members/:user`,
    rates: byDevice("change"),
  },
  waiting: { ...person, method: "GET", path: `${namespace}/waiting`, rates: byDevice("read") },
  memberConfirm: {
    ...person,
    method: "POST",
    path: `${namespace}/waiting/:user`,
    body: json,
    rates: byDevice("change"),
  },
  memberDecline: {
    ...person,
    method: "DELETE",
    path: `${namespace}/waiting/:user`,
    rates: byDevice("change"),
  },
  push: { ...device, method: "POST", path: `${namespace}/ops`, body: ops, rates: byDevice("push") },
  pull: { ...device, method: "GET", path: `${namespace}/records`, rates: byDevice("pull") },
  digests: { ...device, method: "GET", path: `${namespace}/digests`, rates: byDevice("read") },
  heal: {
    ...device,
    method: "POST",
    path: `${namespace}/heal`,
    body: states,
    rates: byDevice("heal"),
  },
  revisions: {
    ...device,
    method: "GET",
    path: `${namespace}/records/:record/revisions`,
    rates: byDevice("read"),
  },
  pokes: { ...device, method: "GET", path: "/v1/pokes", rates: byDevice("pokes") },
} as const satisfies Record<string, RouteRule>;

/** The name of a route. */
export type RouteName = keyof typeof routeTable;
