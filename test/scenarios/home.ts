/** The home of a device: its store, which may be copied, put back and opened again. */
import { copyFileSync } from "node:fs";
import { join } from "node:path";
import type { UserId } from "../../packages/protocol/src/index.ts";
import { createPrivateFile } from "../../apps/client/src/platform/private-file.ts";
import { sha256 } from "../../apps/client/src/platform/hash.ts";
import { openStore } from "../../apps/client/src/store/open.ts";
import type { Store } from "../../apps/client/src/store/store.ts";
import { seededRandom } from "../../apps/client/src/store/testing/test-store.ts";
import type { Accounts } from "../../apps/client/src/sync/access/accounts.ts";
import type { Report } from "../../apps/client/src/sync/machine/effect.ts";
import type { Transport } from "../../apps/client/src/sync/transport.ts";
import type { Way } from "./way.ts";

/** What a device is made of. */
export interface DeviceParts {
  readonly name: string;
  readonly user: UserId;
  readonly folder: string;
  readonly clock: { nowMs(): number };
  readonly serverId: string;
  readonly way: Way;
  readonly transport: Transport;
  readonly accounts: Accounts;
  readonly identity: { readonly id: string; readonly name: string };
  /** Another text each time, for the seeds and files of one world. */
  readonly unique: (name: string) => string;
  readonly onOpen: (store: Store) => void;
}

/** A home as it is open now. */
export interface Home {
  readonly parts: DeviceParts;
  readonly reports: Report[];
  path: string;
  store: Store;
  /** How far the wall clock of its device is ahead, in milliseconds. */
  skewMs: number;
}

/** Opens a home, empty or a copy. */
export function openHome(parts: DeviceParts, copy?: string): Home {
  const path = copy ?? newPath(parts);
  const store = openAt(parts, path, () => home.skewMs);
  const home: Home = { parts, reports: [], path, store, skewMs: 0 };
  return home;
}

/** Copies a home as it is; gives where the copy is. */
export function copyHome({ parts, store }: Home): string {
  const path = newPath(parts);
  store.upkeep.backupTo(path);
  return path;
}

/** Ends the process that has the home open, and starts another, on a copy where one is given. */
export function reopenHome(home: Home, copy?: string): void {
  home.store.close();
  if (copy !== undefined) {
    home.path = newPath(home.parts);
    copyFileSync(copy, home.path);
  }
  home.store = openAt(home.parts, home.path, () => home.skewMs);
}

function newPath({ folder, name, unique }: DeviceParts): string {
  return join(folder, `${unique(name)}.db`);
}

function openAt(parts: DeviceParts, path: string, skewMs: () => number): Store {
  const opened = openStore({
    path,
    sha256,
    random: seededRandom(parts.unique(parts.name)),
    clock: { nowMs: () => parts.clock.nowMs() + skewMs() },
    createPrivateFile,
    identity: { device: parts.identity },
  });
  if (!opened.ok) throw new Error(opened.error.message);
  parts.onOpen(opened.value);
  return opened.value;
}
