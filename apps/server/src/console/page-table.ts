/** Everything about a page or a form of the console but its work. */
export interface PageRule {
  readonly method: "GET" | "POST";
  readonly path: string;
  /**
   * `anybody`: nobody is asked. `signed-in`: a session. `fresh`: one that was opened a moment ago,
   * for what is hard to undo (CO5). What somebody may see and do there is decided as for the API.
   */
  readonly who: "anybody" | "signed-in" | "fresh";
  /** Requests a minute of one network before, or of one device once it is known who asks. */
  readonly rate: "consoleEnter" | "read" | "change" | "pairDecide" | "audit" | "link" | "console";
  /** What the audit tells of it, in the transaction that does it; nothing for what only reads. */
  readonly audit?: string;
}

const page = { method: "GET", who: "signed-in", rate: "read" } as const;
const form = { method: "POST", who: "signed-in", rate: "change" } as const;
const danger = { method: "POST", who: "fresh", rate: "change" } as const;

const device = "/console/devices/:device";
const namespace = "/console/namespaces/:namespace";
const member = `${namespace}/members/:user`;

/**
 * Every page and form of the console (CO4). The console is made from this table and from a function
 * under each of its names, so a page without rules, or rules without a page, do not compile.
 */
export const pageTable = {
  asset: {
    method: "GET",
    who: "anybody",
    rate: "console",
    path: "/console/assets/:file",
  },
  entry: { method: "GET", who: "anybody", rate: "console", path: "/console/enter" },
  enter: {
    method: "POST",
    who: "anybody",
    rate: "consoleEnter",
    path: "/console/enter",
    audit: "console-opened",
  },
  oidcBegin: { method: "POST", who: "anybody", rate: "consoleEnter", path: "/console/oidc" },
  oidcAnswer: {
    method: "GET",
    who: "anybody",
    rate: "consoleEnter",
    path: "/console/oidc/callback",
    audit: "console-opened",
  },
  identityConnect: { ...danger, path: "/console/identity", audit: "identity-connected" },
  identityDisconnect: {
    ...danger,
    path: "/console/identity/disconnect",
    audit: "identity-disconnected",
  },
  leave: { ...form, path: "/console/leave" },
  overview: { ...page, path: "/console" },
  devices: { ...page, path: "/console/devices" },
  deviceRename: { ...form, path: `${device}/rename`, audit: "device-renamed" },
  deviceRevoke: { ...danger, path: `${device}/revoke`, audit: "device-revoked" },
  pairing: { ...page, path: "/console/pairing" },
  pairLookup: { ...form, rate: "pairDecide", path: "/console/pairing" },
  pairApprove: {
    ...danger,
    rate: "pairDecide",
    path: "/console/pairing/approve",
    audit: "pairing-approved",
  },
  pairDeny: {
    ...form,
    rate: "pairDecide",
    path: "/console/pairing/deny",
    audit: "pairing-denied",
  },
  namespaces: { ...page, path: "/console/namespaces" },
  namespaceCreate: { ...form, path: "/console/namespaces", audit: "namespace-created" },
  namespace: { ...page, path: namespace },
  memberRole: { ...danger, path: `${member}/role`, audit: "role-changed" },
  memberRemove: { ...danger, path: `${member}/remove`, audit: "member-removed" },
  memberConfirm: { ...danger, path: `${member}/confirm`, audit: "member-confirmed" },
  memberDecline: { ...danger, path: `${member}/decline`, audit: "member-declined" },
  linkEnd: { ...danger, rate: "link", path: "/console/links/:link/end", audit: "link-revoked" },
  memory: { ...page, path: "/console/memory" },
  observation: { ...page, path: "/console/memory/:namespace/:record" },
  conflicts: { ...page, path: "/console/conflicts" },
  activity: { ...page, path: "/console/activity" },
  audit: { ...page, rate: "audit", path: "/console/audit" },
  settings: { ...page, path: "/console/server" },
} as const satisfies Record<string, PageRule>;

/** The name of a page or form. */
export type PageName = keyof typeof pageTable;
