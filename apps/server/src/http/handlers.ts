import type { Call, DeviceCall, Intake, Opening } from "./app-env.ts";
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
import { createPushIntake } from "./routes/ops.ts";
import { createPokesHandler } from "./routes/pokes.ts";
import { createDigestsHandler } from "./routes/digests.ts";
import { createPullHandler } from "./routes/records.ts";
import { createRevisionsHandler } from "./routes/revisions.ts";
import { createSetupHandler } from "./routes/setup.ts";
import { createTokenHandler } from "./routes/token.ts";

type Answer = Response | Promise<Response>;

/** Routes that take their lines while they come. */
type IntakeName = "push";

/** What does the work of a route; where the table asks for a device, the call has one. */
type Handlers = {
  readonly [Name in Exclude<RouteName, IntakeName>]: (
    call: (typeof routeTable)[Name]["auth"] extends "device" | "person" ? DeviceCall : Call,
  ) => Answer;
};

/** Begins the work of a route, when its caller is known. */
export type Begin = (name: RouteName, opening: Opening) => Intake;

/** Makes what begins the work of every route of the table; most wait for the call. */
export function createBegin(parts: Parts): Begin {
  const handlers = createHandlers(parts);
  const takePush = createPushIntake(parts);
  return (name, opening) => {
    return name === "push" ? takePush(opening) : { answer: handlers[name] };
  };
}

/** One handler for each other name of the route table. */
function createHandlers(parts: Parts): Handlers {
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
    pull: createPullHandler(parts),
    digests: createDigestsHandler(parts),
    heal: createHealHandler(parts),
    revisions: createRevisionsHandler(parts),
    pokes: createPokesHandler(parts),
  };
}
