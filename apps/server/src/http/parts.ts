import type { DeviceId } from "@tidemark/protocol";
import { createIssuerKeys, type IssuerFetch, type IssuerKeys } from "../auth/jobs/issuers.ts";
import type { VerifiedHolder } from "../auth/access-token.ts";
import { createKnownTokens, type KnownTokens } from "../auth/known-tokens.ts";
import { payloadOfEntry, verifyLogEntry } from "../auth/log-entries.ts";
import { createNonces, type Nonces } from "../auth/nonces.ts";
import { createOidcProvider, type OidcProvider } from "../auth/oidc/provider.ts";
import { createReplayMemory, type ReplayMemory } from "../auth/replay-memory.ts";
import { createSigningKeys, type SigningKeys } from "../auth/signing-keys.ts";
import { createPushDoor, type PushDoor } from "../domain/push.ts";
import type { SealedDeps } from "../domain/sealed-keys.ts";
import type { SyncDeps } from "../domain/sync-deps.ts";
import type { AccountStore } from "../store/accounts-port.ts";
import type { AppDeps } from "./app-deps.ts";
import { createClaimGate, type ClaimGate } from "./claim-gate.ts";
import { watchHeads, type HeadWatch } from "./pokes/head-watch.ts";
import { createPollGate, type PollGate } from "./pairing/poll-gate.ts";
import { createPokeHub, type PokeHub } from "./pokes/poke-hub.ts";
import { createReadAhead, type ReadAhead } from "./read-ahead.ts";
import { createRateLimiter, type RateLimiter } from "./rate-limiter.ts";

/** What the routes share: the dependencies and all that lives as long as the application. */
export interface Parts extends Omit<AppDeps, "oidc"> {
  readonly accounts: AccountStore;
  readonly keys: SigningKeys;
  readonly issuerKeys: IssuerKeys;
  /** Undefined: paired devices alone open the console. */
  readonly oidc: OidcProvider | undefined;
  readonly knownTokens: KnownTokens<VerifiedHolder>;
  readonly replays: ReplayMemory;
  readonly nonces: Nonces;
  readonly rates: RateLimiter;
  readonly claim: ClaimGate;
  readonly pokes: PokeHub;
  readonly polls: PollGate;
  readonly watch: HeadWatch;
  readonly sync: SyncDeps;
  readonly sealed: SealedDeps;
  readonly openPush: PushDoor;
  readonly readAhead: ReadAhead;
  /** Ends the streams of a device that was revoked, here at once and elsewhere within a second. */
  readonly endStreams: (device: DeviceId) => void;
  /** False from the moment the server shuts down. */
  isReady: boolean;
}

/** Makes the parts of one application. */
export function createParts(deps: AppDeps): Parts {
  const { accounts } = deps.store;
  const { clock, random } = deps;
  const pokes = createPokeHub();
  const watch = watchHeads({
    timers: deps.timers,
    log: deps.log,
    hub: pokes,
    watched: (input) => accounts.watched(input),
    notices: deps.headNotices,
  });
  const sync: SyncDeps = {
    store: deps.store,
    sha256: deps.sha256,
    random,
    quota: deps.quota,
    secrets: deps.secrets,
    onRowRefused: (refused) => deps.log.error("row-refused", { ...refused }),
    onHeadMoved: (namespace, head) => {
      pokes.headMoved(namespace, head);
      watch.headMoved(namespace, head);
    },
  };
  return {
    ...deps,
    accounts,
    keys: createSigningKeys({ clock, random, vault: deps.vault, accounts }),
    issuerKeys: createIssuerKeys(
      { clock, fetch: deps.jobs?.fetch ?? noFetch },
      deps.jobs?.issuers ?? [],
    ),
    oidc:
      deps.oidc === undefined
        ? undefined
        : createOidcProvider({ ...deps, fetch: deps.oidc.fetch }, deps.oidc.settings),
    knownTokens: createKnownTokens(deps),
    replays: createReplayMemory(clock),
    nonces: createNonces({ ...deps, accounts }),
    rates: createRateLimiter(clock),
    claim: createClaimGate({ random, accounts }),
    pokes,
    polls: createPollGate({ clock, timers: deps.timers }),
    watch,
    sync,
    sealed: {
      store: deps.store,
      log: { sha256: deps.sha256, verify: verifyLogEntry, unverified: payloadOfEntry },
    },
    openPush: createPushDoor(sync),
    readAhead: createReadAhead(),
    endStreams: (device) => {
      pokes.endDevice(device);
      watch.deviceRevoked(device);
    },
    isReady: true,
  };
}

/** Where no issuer is known, nothing is fetched. */
const noFetch: IssuerFetch = async () => ({ status: 404, text: "" });
