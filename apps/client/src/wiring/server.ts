/** Loaded by the commands that talk to the server, and by no other: it brings zod and jose along. */
import { dirname } from "node:path";
import { mendSecrets } from "../memory/mend-secrets.ts";
import { systemClock } from "../platform/clock.ts";
import { systemGzip } from "../platform/gzip.ts";
import { hmacSha256, sha256 } from "../platform/hash.ts";
import { systemHttp } from "../platform/http.ts";
import { nextAssertionCounter, type Identity } from "../platform/identity.ts";
import { programPath } from "../platform/program.ts";
import { systemRandom } from "../platform/random.ts";
import { slowKey } from "../platform/slow-hash.ts";
import { systemTimers } from "../platform/timers.ts";
import type { Store } from "../store/store.ts";
import { hintOf, StoreFailure } from "../store/store-error.ts";
import { createAccounts, type Accounts } from "../sync/access/accounts.ts";
import { createApprovals, type Approvals } from "../sync/access/approvals.ts";
import { createAuditReader, type AuditReader } from "../sync/access/audit.ts";
import { createCredentials } from "../sync/access/auth.ts";
import { createQuarantines, type Quarantines } from "../sync/access/quarantines.ts";
import { SyncEngine, type EngineDeps } from "../sync/engine.ts";
import { createHttpTransport } from "../sync/http-transport.ts";
import { createCaller, type Caller } from "../sync/http/caller.ts";
import type { Network } from "../sync/http/network.ts";
import type { KeyExchange } from "../sync/sealed/key-exchange.ts";
import type { Keeper } from "../sync/sealed/keeper.ts";
import { createLinkBook, type LinkBook } from "../sync/sealed/link-book.ts";
import type { Transport } from "../sync/transport.ts";
import { canScrub } from "./can-scrub.ts";
import { useDeviceKey, type KeyUse } from "./device-key.ts";
import type { Home } from "./home.ts";
import { openKeyring } from "./keyring.ts";
import { noteNews, noteWaiting } from "./news-note.ts";
import { readingAhead } from "./page-thread/page-thread.ts";
import { threadProgram } from "./page-thread/thread-program.ts";
import { tokenTurn } from "./token-turn.ts";
import { UserError } from "./user-error.ts";

/** The server that this device is paired with. */
export interface Server {
  readonly identity: Identity;
  readonly caller: Caller;
  readonly transport: Transport;
  readonly accounts: Accounts;
  readonly approvals: Approvals;
  readonly quarantines: Quarantines;
  readonly audit: AuditReader;
  readonly engine: (store: Store, onHelloEnded?: EngineDeps["onHelloEnded"]) => SyncEngine;
  readonly keyExchange: (store: Store) => KeyExchange;
  readonly keeper: (store: Store) => Keeper;
  readonly linkBook: (store: Store) => LinkBook;
}

/** All connections of a process share its thread. */
const network: Network = readingAhead(systemHttp, () => threadProgram(dirname(programPath())));

/** A caller without credentials, as pairing uses it. */
export function openCaller(serverUrl: string): Caller {
  return createCaller({ serverUrl, network, timers: systemTimers, gzip: systemGzip });
}

/** Wires the server of a home. Throws a {@link UserError} where the device is not paired, or its
 * key cannot be used. */
export async function connectServer(
  home: Home,
  use: KeyUse = { isBackground: false },
): Promise<Server> {
  const identity = home.identity();
  if (identity === undefined) throw new UserError(notPaired);
  const { id: serverId, url: serverUrl } = identity.server;
  const key = await useDeviceKey(home, use);
  const credentials = createCredentials({
    caller: openCaller(serverUrl),
    device: identity.device.id,
    key,
    clock: systemClock,
    random: systemRandom,
    sha256,
    nextCounter: (above, nowMs) => nextCounter(home, above, nowMs),
    inTurn: tokenTurn(home),
  });
  const caller = createCaller({
    serverUrl,
    network,
    timers: systemTimers,
    credentials,
    gzip: systemGzip,
  });
  const transport = createHttpTransport({ caller, timers: systemTimers });
  const hashes = { sha256, hmacSha256 };
  const keyring = openKeyring({ caller, key, identity, clock: systemClock, random: systemRandom });
  // Whoever is at a terminal is told what is wrong with the settings, and nothing is done (SC55).
  const mayMend = use.isBackground ? (): boolean => canScrub(home) : undefined;
  return {
    identity,
    caller,
    transport,
    accounts: createAccounts({ caller, hashes, random: systemRandom }),
    approvals: createApprovals({ caller, hashes: { hmacSha256, slowKey }, serverId }),
    quarantines: createQuarantines({ caller }),
    audit: createAuditReader({ caller }),
    engine: (store, onHelloEnded) =>
      new SyncEngine({
        store: mendSecrets({ store, scrub: home.scrub, canScrub: mayMend }),
        transport,
        clock: systemClock,
        random: systemRandom,
        timers: systemTimers,
        log: home.log,
        serverId,
        keys: keyring.exchange(store),
        onHello: (hello) => {
          noteNews(store, hello);
          noteWaiting(store, hello);
        },
        onHelloEnded,
      }),
    keyExchange: keyring.exchange,
    keeper: keyring.keeper,
    linkBook: ({ upkeep }) => createLinkBook({ facts: upkeep, clock: systemClock, serverId }),
  };
}

/** What to tell where a command needs a server and there is none. */
export const notPaired = {
  code: "not-paired",
  message: "this device is not paired with a server",
  hint: "tidemark pair <link>; `tidemark device add` on a paired device prints one",
} as const;

function nextCounter(home: Home, above: number, nowMs: number): number {
  const counter = nextAssertionCounter(home.paths, { nowMs: () => nowMs }, above);
  if (counter.ok) return counter.value;
  const { path, code, hint } = counter.error;
  // Trouble of the machine, as the database's is: it passes, and a sync that meets it tries again.
  const kind = code === "ENOSPC" ? "full" : "io";
  const remedy = code === "ENOSPC" ? hintOf("full") : hint;
  throw new StoreFailure({ kind, message: `${path} cannot be written`, hint: remedy });
}
