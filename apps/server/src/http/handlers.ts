import type { Call, DeviceCall } from "./app-env.ts";
import type { Parts } from "./parts.ts";
import type { RouteName, routeTable } from "./route-table.ts";
import { createAuditHandlers } from "./routes/audit.ts";
import { createConsoleLinkHandler } from "./routes/console-link.ts";
import { createDeviceHandlers } from "./routes/devices.ts";
import { createFoundationHandlers } from "./routes/foundation.ts";
import { createHelloHandler } from "./routes/hello.ts";
import { createHealHandler } from "./routes/heal.ts";
import { createJoinHandler } from "./routes/join.ts";
import { createJoinJobHandler } from "./routes/join-job.ts";
import { createLinkHandlers } from "./routes/links.ts";
import { createMemberHandlers, createWaitingHandlers } from "./routes/members.ts";
import { createNamespaceHandlers } from "./routes/namespaces.ts";
import { createPairingHandlers } from "./routes/pairing.ts";
import { createQuarantineHandlers } from "./routes/quarantines.ts";
import { createSealedHandlers } from "./routes/sealed.ts";
import { createPushHandler } from "./routes/ops.ts";
import { createPokesHandler } from "./routes/pokes.ts";
import { createDigestsHandler } from "./routes/digests.ts";
import { createPullHandler } from "./routes/records.ts";
import { createRevisionsHandler } from "./routes/revisions.ts";
import { createSetupHandler } from "./routes/setup.ts";
import { createTokenHandler } from "./routes/token.ts";

type Answer = Response | Promise<Response>;

/** What does the work of a route; where the table asks for a device, the call has one. */
export type Handlers = {
  readonly [Name in RouteName]: (
    call: (typeof routeTable)[Name]["auth"] extends "device" | "person" ? DeviceCall : Call,
  ) => Answer;
};

/** One handler for each name of the route table. */
export function createHandlers(parts: Parts): Handlers {
  return {
    ...createFoundationHandlers(parts),
    hello: createHelloHandler(parts),
    setup: createSetupHandler(parts),
    join: createJoinHandler(parts),
    joinJob: createJoinJobHandler(parts),
    token: createTokenHandler(parts),
    consoleLink: createConsoleLinkHandler(parts),
    ...createLinkHandlers(parts),
    ...createPairingHandlers(parts),
    ...createDeviceHandlers(parts),
    ...createQuarantineHandlers(parts),
    ...createAuditHandlers(parts),
    ...createNamespaceHandlers(parts),
    ...createSealedHandlers(parts),
    ...createMemberHandlers(parts),
    ...createWaitingHandlers(parts),
    push: createPushHandler(parts),
    pull: createPullHandler(parts),
    digests: createDigestsHandler(parts),
    heal: createHealHandler(parts),
    revisions: createRevisionsHandler(parts),
    pokes: createPokesHandler(parts),
  };
}
