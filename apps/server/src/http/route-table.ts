import { limits } from "@tidemark/protocol";
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
const ops: BodyRule = { media: "ndjson", bytesMax: limits.pushBytesMax };
const states: BodyRule = { media: "ndjson", bytesMax: limits.healBytesMax };

const plain = { body: null, rates: [], beforeClaim: false, anyVersion: false } as const;
const open = { ...plain, auth: "open" } as const;
const device = { ...plain, auth: "device" } as const;
const person = { ...plain, auth: "person" } as const;
const foundation = { ...open, method: "GET", beforeClaim: true, anyVersion: true } as const;

const setupRates: readonly Rate[] = [{ by: "server", perMinute: 10 }];
const joinRates: readonly Rate[] = [
  { by: "address", perMinute: 30 },
  { by: "server", perMinute: 300 },
];
const tokenRates: readonly Rate[] = [{ by: "address", perMinute: 600 }];
const linkRates: readonly Rate[] = [{ by: "device", perMinute: 30 }];
// Each heal may raise a namespace's lamport (CK6): unbounded, a member could run it away in hours.
const healRates: readonly Rate[] = [{ by: "device", perMinute: 600 }];
const auditRates: readonly Rate[] = [{ by: "device", perMinute: 60 }];
// It reads every row there is.
const auditCheckRates: readonly Rate[] = [{ by: "device", perMinute: 6 }];
const pairStartRates: readonly Rate[] = [
  { by: "address", perMinute: 10 },
  { by: "server", perMinute: 300 },
];
// Three devices of a network may wait at once, each asking every two seconds.
const pairPollRates: readonly Rate[] = [
  { by: "address", perMinute: 240 },
  { by: "server", perMinute: 6_000 },
];
const pairDecideRates: readonly Rate[] = [{ by: "device", perMinute: 30 }];
// Each of them is a row of the audit for good.
const changeRates: readonly Rate[] = [{ by: "device", perMinute: 30 }];
const linkStateRates: readonly Rate[] = [{ by: "device", perMinute: 120 }];

const namespace = "/v1/namespaces/:namespace";

/**
 * Every route of the server (WR15). The application is made from this table and from a handler
 * under each of its names, so a route without rules, or rules without a route, do not compile.
 */
export const routeTable = {
  health: { ...foundation, path: "/healthz" },
  ready: { ...foundation, path: "/readyz" },
  jwks: { ...foundation, path: "/.well-known/jwks.json" },
  openapi: { ...foundation, beforeClaim: false, path: "/v1/openapi.json" },
  hello: { ...foundation, auth: "maybe", path: "/v1/hello" },
  setup: {
    ...open,
    method: "POST",
    path: "/v1/setup",
    body: json,
    rates: setupRates,
    beforeClaim: true,
  },
  join: { ...open, method: "POST", path: "/v1/join", body: json, rates: joinRates },
  token: { ...open, method: "POST", path: "/v1/auth/token", body: form, rates: tokenRates },
  link: { ...person, method: "POST", path: "/v1/links", body: json, rates: linkRates },
  linkState: { ...person, method: "GET", path: "/v1/links/:link", rates: linkStateRates },
  links: { ...person, method: "GET", path: "/v1/links" },
  linkRevoke: { ...person, method: "DELETE", path: "/v1/links/:link", rates: linkRates },
  pairStart: { ...open, method: "POST", path: "/v1/pair/start", body: json, rates: pairStartRates },
  pairPoll: { ...open, method: "POST", path: "/v1/pair/poll", body: json, rates: pairPollRates },
  pairLookup: {
    ...person,
    method: "POST",
    path: "/v1/pair/lookup",
    body: json,
    rates: pairDecideRates,
  },
  pairApprove: {
    ...person,
    method: "POST",
    path: "/v1/pair/approve",
    body: json,
    rates: pairDecideRates,
  },
  pairDeny: {
    ...person,
    method: "POST",
    path: "/v1/pair/deny",
    body: json,
    rates: pairDecideRates,
  },
  accept: { ...person, method: "POST", path: "/v1/invites/accept", body: json, rates: joinRates },
  audit: { ...person, method: "GET", path: "/v1/audit", rates: auditRates },
  auditCheck: { ...person, method: "GET", path: "/v1/audit/check", rates: auditCheckRates },
  devices: { ...person, method: "GET", path: "/v1/devices" },
  deviceLog: { ...person, method: "GET", path: "/v1/devices/log", rates: auditRates },
  deviceRename: {
    ...person,
    method: "PATCH",
    path: "/v1/devices/:device",
    body: json,
    rates: changeRates,
  },
  deviceRevoke: { ...person, method: "DELETE", path: "/v1/devices/:device", rates: changeRates },
  namespaceCreate: {
    ...person,
    method: "POST",
    path: "/v1/namespaces",
    body: json,
    rates: changeRates,
  },
  namespacesDeleted: { ...person, method: "GET", path: "/v1/namespaces/deleted" },
  namespaceDelete: { ...person, method: "DELETE", path: namespace, rates: changeRates },
  namespaceRestore: {
    ...person,
    method: "POST",
    path: `${namespace}/restore`,
    rates: changeRates,
  },
  members: { ...device, method: "GET", path: `${namespace}/members` },
  memberRole: {
    ...person,
    method: "PATCH",
    path: `${namespace}/members/:user`,
    body: json,
    rates: changeRates,
  },
  memberRemove: {
    ...person,
    method: "DELETE",
    path: `${namespace}/members/:user`,
    rates: changeRates,
  },
  push: { ...device, method: "POST", path: `${namespace}/ops`, body: ops },
  pull: { ...device, method: "GET", path: `${namespace}/records` },
  digests: { ...device, method: "GET", path: `${namespace}/digests` },
  heal: { ...device, method: "POST", path: `${namespace}/heal`, body: states, rates: healRates },
  revisions: { ...device, method: "GET", path: `${namespace}/records/:record/revisions` },
  pokes: { ...device, method: "GET", path: "/v1/pokes" },
} as const satisfies Record<string, RouteRule>;

/** The name of a route. */
export type RouteName = keyof typeof routeTable;
