import type { AccountState } from "./account-state.ts";
import type { NamespaceState } from "./namespace-state.ts";

/** A copy that later writes leave as it is: a backup, or what a restored server begins with. */
export function copyAccounts(state: AccountState): AccountState {
  const namespaces = [...state.namespaces].map(([id, each]) => [id, copyNamespace(each)] as const);
  return {
    server: state.server,
    users: new Map(state.users),
    devices: new Map(state.devices),
    links: new Map(state.links),
    pairings: new Map(state.pairings),
    jobTokens: new Map(state.jobTokens),
    consoleKeys: new Map(state.consoleKeys),
    identities: new Map(state.identities),
    oidcFlows: new Map(state.oidcFlows),
    signingKeys: new Map(state.signingKeys),
    namespaces: new Map(namespaces),
    attempts: new Map(state.attempts),
    audit: [...state.audit],
  };
}

function copyNamespace(state: NamespaceState): NamespaceState {
  const children = [...state.childrenByParent].map(([id, set]) => [id, new Set(set)] as const);
  return {
    ...state,
    records: new Map(state.records),
    idBySeq: new Map(state.idBySeq),
    childrenByParent: new Map(children),
    marks: new Map(state.marks),
    writers: new Map(state.writers),
    takenByWriter: new Map(state.takenByWriter),
    revisions: new Map(state.revisions),
    members: new Map(state.members),
    joinedAtMs: new Map(state.joinedAtMs),
    waiting: new Map(state.waiting),
    suspects: new Map(state.suspects),
  };
}
