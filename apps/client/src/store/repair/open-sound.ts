import { fail, ok, type Result } from "@tidemark/protocol";
import { migrations } from "../migrations/index.ts";
import {
  bareContext,
  mendingMessage,
  refuseUnfit,
  type OpenOptions,
  type Suspicion,
} from "../open-database.ts";
import { openStore } from "../open.ts";
import { openDatabase } from "../sqlite.ts";
import { attempt, hintOf, type StoreError } from "../store-error.ts";
import type { Store } from "../store.ts";
import { damageOf } from "./examine.ts";
import { fileDamage, schemaTrouble } from "./file-damage.ts";
import { mend } from "./mend.ts";
import type { RepairFiles } from "./repair-files.ts";
import { logGoneReport, repairName, type RepairReport } from "./report.ts";

/** What a repairing open needs besides. */
export interface SoundParts {
  readonly files: RepairFiles;
  /** The right to repair; undefined while another process has it. */
  readonly lock: () => { release(): void } | undefined;
  readonly pause: (ms: number) => void;
  /**
   * When the whole database is checked first: `always`, where a suspicion was noted or a day is over,
   * or for the suspicion alone.
   */
  readonly look: "when-noted" | "when-due" | "always";
  /** Told before the whole database is checked because a day is over, which takes a second for 20 MB. */
  readonly onDueCheck?: (() => void) | undefined;
}

/** A store that is sound, and what was done to make it so. */
export interface Sound {
  readonly store: Store;
  readonly repair?: RepairReport;
}

/** How long an open waits for another process that repairs, in milliseconds. */
const waitMsMax = 60_000;
const askMs = 50;
/** How long a check that is only due waits for another process's write, in milliseconds. */
const dueBusyMs = 100;

/**
 * Opens a store and repairs it where it is damaged (ST14). Trouble that passes is never taken for
 * damage: a lock, a full or failing disk, rights, a newer program. And damage is looked at again
 * under the lock before anything is done, so of two processes that see it one repairs.
 */
export function openSound(options: OpenOptions, parts: SoundParts): Result<Sound, StoreError> {
  const { path } = options;
  const { files } = parts;
  if (!files.isMending(path)) {
    const first = openOnce(options, parts);
    if (first.kind !== "damaged" && !isMending(first.opened)) return first.opened;
  }
  for (let waitedMs = 0; waitedMs < waitMsMax; waitedMs += askMs) {
    const taken = attempt(() => parts.lock());
    if (!taken.ok) return taken;
    const lock = taken.value;
    if (lock === undefined) {
      parts.pause(askMs);
      continue;
    }
    try {
      return repaired(options, parts);
    } finally {
      lock.release();
    }
  }
  const message = "another tidemark process is repairing the database";
  return fail({ kind: "busy", message, hint: hintOf("busy") });
}

// Another process began after this one had asked.
function isMending(opened: Result<Sound, StoreError>): boolean {
  return !opened.ok && opened.error.message === mendingMessage;
}

function repaired(options: OpenOptions, parts: SoundParts): Result<Sound, StoreError> {
  const { files } = parts;
  const settled = attempt(() => {
    files.settle(options.path);
  });
  if (!settled.ok) return settled;
  const second = openOnce(options, { ...parts, look: "always" });
  if (second.kind !== "damaged") return second.opened;
  const repair = mend(options, files, second.cause);
  if (!repair.ok) return repair;
  files.noteSound(options.path, options.clock.nowMs());
  const opened = openStore({ ...options, files });
  return opened.ok ? ok({ store: opened.value, repair: repair.value }) : opened;
}

type Attempt =
  | { readonly kind: "opened"; readonly opened: Result<Sound, StoreError> }
  | { readonly kind: "damaged"; readonly cause: string };

function openOnce(options: OpenOptions, parts: SoundParts): Attempt {
  const { files } = parts;
  const reason = reasonToLook(options, parts);
  if (reason === undefined) return asAttempt(openOrDamage(options, files));
  if (reason === "due" && parts.look === "when-due") parts.onDueCheck?.();
  const before = attempt(() => {
    if (reason === "log-gone") refuseUnfit(options, files);
    return fileDamage(options, files);
  });
  if (!before.ok) return { kind: "opened", opened: before };
  if (before.value !== undefined) return { kind: "damaged", cause: before.value };
  const opened = openOrDamage(options, files);
  return "store" in opened ? examined(options, parts, { ...opened, reason }) : opened;
}

function asAttempt(opened: Attempt | { readonly store: Store }): Attempt {
  return "store" in opened ? { kind: "opened", opened: ok({ store: opened.store }) } : opened;
}

type Reason = Suspicion | "due";

function reasonToLook({ path, clock }: OpenOptions, parts: SoundParts): Reason | undefined {
  const { files, look } = parts;
  if (files.mark(path) === undefined) return undefined;
  const suspicion = files.isLogGone(path) ? "log-gone" : files.suspicion(path);
  if (suspicion !== undefined) return suspicion;
  if (look === "always" || files.isBlank(path)) return "due";
  return look === "when-due" && files.isCheckDue(path, clock.nowMs()) ? "due" : undefined;
}

function examined(
  options: OpenOptions,
  { files, look }: SoundParts,
  { store, reason }: { readonly store: Store; readonly reason: Reason },
): Attempt {
  const canWait = reason === "due" && look === "when-due";
  const busyTimeoutMs = canWait ? dueBusyMs : options.busyTimeoutMs;
  const damage = attempt(() => wholeDamage({ ...options, busyTimeoutMs }));
  if (!damage.ok) return unexamined(store, damage.error, canWait);
  if (damage.value !== undefined) {
    store.close();
    return { kind: "damaged", cause: damage.value };
  }
  const now = options.clock.nowMs();
  const repair = reason === "log-gone" ? takeLogGone(store, now) : undefined;
  files.noteSound(options.path, now);
  return { kind: "opened", opened: ok(repair === undefined ? { store } : { store, repair }) };
}

/** Where the check itself ended in trouble. */
function unexamined(store: Store, error: StoreError, canWait: boolean): Attempt {
  // A long write of another process stops nobody from reading: the next start checks.
  if (canWait && error.kind === "busy") return { kind: "opened", opened: ok({ store }) };
  store.close();
  return error.kind === "corrupt"
    ? { kind: "damaged", cause: error.message }
    : { kind: "opened", opened: fail(error) };
}

function openOrDamage(
  options: OpenOptions,
  files: RepairFiles,
): Attempt | { readonly store: Store } {
  try {
    const opened = openStore({ ...options, files });
    if (opened.ok) return { store: opened.value };
    const { kind, message } = opened.error;
    if (kind === "corrupt") return { kind: "damaged", cause: message };
    const trouble = kind === "unsupported" ? schemaTrouble(options, files) : undefined;
    if (trouble !== undefined) return { kind: "damaged", cause: trouble };
    return { kind: "opened", opened };
  } catch (error) {
    // SQL that every database of this program understands: either the schema is damaged, or a bug.
    const trouble = schemaTrouble(options, files);
    if (trouble === undefined) throw error;
    return { kind: "damaged", cause: trouble };
  }
}

function wholeDamage(options: OpenOptions): string | undefined {
  const { path, nativeBinding, busyTimeoutMs = 5_000 } = options;
  const db = openDatabase({ path, nativeBinding, busyTimeoutMs });
  try {
    return damageOf(
      bareContext(db, options, () => options.identity),
      { migrations, nativeBinding },
    );
  } finally {
    db.close();
  }
}

// The database is whole, and older than it was: its writers must not go on where others have been.
function takeLogGone(store: Store, at: number): RepairReport {
  const report = logGoneReport(at);
  store.replicas.renewWriters();
  store.upkeep.setMeta(repairName, JSON.stringify(report));
  return report;
}
