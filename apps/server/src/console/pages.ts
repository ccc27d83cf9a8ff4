import type { PageName, pageTable } from "./page-table.ts";
import { activity } from "./pages/activity.tsx";
import { audit } from "./pages/audit.tsx";
import { conflicts } from "./pages/conflicts.tsx";
import { deviceRename, deviceRevoke, devices } from "./pages/devices.tsx";
import { asset, enter, entry, leave } from "./pages/entry.tsx";
import { identityConnect, identityDisconnect, oidcAnswer, oidcBegin } from "./pages/identity.tsx";
import {
  linkEnd,
  memberConfirm,
  memberDecline,
  memberRemove,
  memberRole,
} from "./pages/members.tsx";
import { memory } from "./pages/memory.tsx";
import { namespace, namespaceCreate, namespaces } from "./pages/namespaces.tsx";
import { observation } from "./pages/observation.tsx";
import { overview } from "./pages/overview.tsx";
import { pairApprove, pairDeny, pairing, pairLookup } from "./pages/pairing.tsx";
import { server } from "./pages/server.tsx";
import type { OwnVisit, PageAnswer, Visit } from "./visit.ts";

/** What does the work of a page; where the table asks for a session, the visit has one. */
export type Pages = {
  readonly [Name in PageName]: (
    visit: (typeof pageTable)[Name]["who"] extends "anybody" ? Visit : OwnVisit,
  ) => PageAnswer | Promise<PageAnswer>;
};

/** One function for each name of the page table. */
export function createPages(): Pages {
  return {
    asset,
    entry,
    enter,
    oidcBegin,
    oidcAnswer,
    identityConnect,
    identityDisconnect,
    leave,
    overview,
    devices,
    deviceRename,
    deviceRevoke,
    pairing,
    pairLookup,
    pairApprove,
    pairDeny,
    namespaces,
    namespaceCreate,
    namespace,
    memberRole,
    memberRemove,
    memberConfirm,
    memberDecline,
    linkEnd,
    memory,
    observation,
    conflicts,
    activity,
    audit,
    settings: server,
  };
}
