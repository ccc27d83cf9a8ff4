import type { SigningKeyRow } from "../store/signing-key-row.ts";
import { replicaSkewS, tokenLifeS } from "./auth-deps.ts";

/** What the host may order; without an order keys take turns by the clock. */
export interface KeyOrder {
  /** `soon`: as soon as the next key was published for a day; `now`: at once; `anew`: with new ones. */
  readonly turn?: "soon" | "now" | "anew" | undefined;
  /** A key whose tokens end at once. */
  readonly revoke?: string | undefined;
  /** Takes the private part off keys in plain, as a server does at its start. */
  readonly stripPlain?: boolean | undefined;
}

/** When, and for which master key, keys take turns. */
export interface KeyTurn extends KeyOrder {
  readonly nowMs: number;
  readonly master: string;
  /** New keys, ready to be stored; as many are used as are needed. */
  readonly fresh: readonly [FreshKey, FreshKey];
}

/** A new key, sealed. */
export type FreshKey = Pick<SigningKeyRow, "kid" | "jwk" | "sealed">;

/** A key signs this long, in milliseconds (AU5). */
export const signingKeyLifeMs = 30 * 86_400_000;
/** A key is published this long before it signs, in milliseconds, unless it has to sign at once. */
export const publishedAheadMs = 86_400_000;
/** How soon a replica notices that another one rotated, in milliseconds. */
export const reloadEveryMs = 60_000;
/** A retired key verifies until the last token that it may have signed has expired (AU5). */
export const overlapMs = reloadEveryMs + (tokenLifeS + replicaSkewS) * 1000;
/** Master keys in use at once, of replicas that do not share one; the oldest gives way. */
const mastersMax = 8;
/** A younger key may be a running replica's: taken from it, replicas would rotate in turns for ever. */
const foreignAgeMsMin = 3_600_000;

/** Whether more master keys sign than are meant to: replicas that should share one do not. */
export function areMastersMany(rows: readonly SigningKeyRow[]): boolean {
  const signing = rows.filter(({ status }) => status === "signing");
  return new Set(signing.map(({ master }) => master)).size > mastersMax;
}

/** The key of a master key that signs, or waits. */
export function ownKey(
  rows: readonly SigningKeyRow[],
  master: string,
  status: "signing" | "next",
): SigningKeyRow | undefined {
  return rows.find((row) => row.master === master && row.status === status);
}

/** Whether the keys of a master key are to take turns, or to be made. */
export function isTurnDue(
  rows: readonly SigningKeyRow[],
  { nowMs, master }: { readonly nowMs: number; readonly master: string },
): boolean {
  const next = ownKey(rows, master, "next");
  if (ownKey(rows, master, "signing") === undefined || next === undefined) return true;
  return (next.untilMs ?? 0) <= nowMs;
}

/** Until when tokens by a key are good; undefined where it has signed none yet. */
export function verifiesUntilMs(
  row: SigningKeyRow,
  rows: readonly SigningKeyRow[],
): number | undefined {
  if (row.status === "next") return undefined;
  if (row.status === "active") return Number.POSITIVE_INFINITY;
  if (row.untilMs !== undefined) return row.untilMs + (row.status === "signing" ? overlapMs : 0);
  // Retired by a server of before, when it made the first key after it.
  const later = rows.filter(({ createdAtMs }) => createdAtMs > row.createdAtMs);
  return Math.min(...later.map(({ createdAtMs }) => createdAtMs)) + overlapMs;
}

/** The keys after a turn. The same keys come back where nothing is due and nothing was ordered. */
export function turnKeys(rows: readonly SigningKeyRow[], turn: KeyTurn): readonly SigningKeyRow[] {
  const { nowMs, master, revoke } = turn;
  const kept = rows
    .filter((row) => row.kid !== revoke && isKept(row, rows, turn))
    .map((row) => (turn.stripPlain === true ? strippedKey(row, nowMs) : row));
  const signing = ownKey(kept, master, "signing");
  const next = ownKey(kept, master, "next");
  const others = kept.filter((row) => row !== signing && row !== next);
  const dueMs = dueAtMs(next ?? signing, turn);
  if (signing !== undefined && turn.turn !== "anew" && nowMs < dueMs) {
    const untilMs = dueMs;
    const waiting = next ?? newKey(turn.fresh[0], turn);
    return [...others, signing, { ...waiting, status: "next", untilMs }];
  }
  const retired = signing === undefined ? [] : [retiredKey(signing, nowMs)];
  return [...withRoom(others, nowMs), ...retired, ...takenOver(next, turn)];
}

/** The key that signs from now on, and the one that waits from now on. */
function takenOver(
  next: SigningKeyRow | undefined,
  turn: KeyTurn,
): readonly [SigningKeyRow, SigningKeyRow] {
  const [first, second] = turn.fresh;
  const isAnew = next === undefined || turn.turn === "anew";
  const untilMs = turn.nowMs + signingKeyLifeMs;
  const signer = isAnew ? newKey(first, turn) : next;
  const waiting = newKey(isAnew ? second : first, turn);
  return [
    { ...signer, status: "signing", untilMs },
    { ...waiting, status: "next", untilMs },
  ];
}

/** A key is kept as long as it verifies or, where it waits, while somebody may let it sign. */
function isKept(row: SigningKeyRow, rows: readonly SigningKeyRow[], turn: KeyTurn): boolean {
  if (row.status === "next" && row.master === turn.master) return true;
  const untilMs = verifiesUntilMs(row, rows) ?? (row.untilMs ?? 0) + overlapMs;
  return untilMs > turn.nowMs;
}

/** When the key that waits takes over; where none does, when the one that signs gives way. */
function dueAtMs(row: SigningKeyRow | undefined, { turn, nowMs }: KeyTurn): number {
  const dueMs = row?.untilMs ?? nowMs;
  if (turn === "now") return nowMs;
  if (turn !== "soon" || row?.status !== "next") return dueMs;
  return Math.min(dueMs, row.createdAtMs + publishedAheadMs);
}

function newKey(fresh: FreshKey, { master, nowMs }: KeyTurn): Omit<SigningKeyRow, "status"> {
  return { ...fresh, master, createdAtMs: nowMs };
}

function retiredKey(row: SigningKeyRow, nowMs: number): SigningKeyRow {
  return { ...row, status: "retiring", untilMs: nowMs + overlapMs, sealed: undefined };
}

/** What a private key in plain leaves behind: it verifies what it has signed, and signs no more. */
function strippedKey(row: SigningKeyRow, nowMs: number): SigningKeyRow {
  const { kty, crv, x, d } = JSON.parse(row.jwk) as Readonly<Record<string, unknown>>;
  if (d === undefined) return row;
  const jwk = JSON.stringify({ kty, crv, x });
  return row.status === "active" ? { ...retiredKey(row, nowMs), jwk } : { ...row, jwk };
}

/** Retires the oldest keys of other master keys, where too many sign at once and for long. */
function withRoom(others: readonly SigningKeyRow[], nowMs: number): readonly SigningKeyRow[] {
  const foreign = others
    .filter(({ status }) => status === "signing")
    .toSorted((left, right) => right.createdAtMs - left.createdAtMs)
    .slice(mastersMax - 1)
    .filter(({ createdAtMs }) => nowMs - createdAtMs > foreignAgeMsMin);
  const masters = new Set(foreign.map(({ master }) => master));
  return others
    .filter(({ status, master }) => status !== "next" || !masters.has(master))
    .map((row) => (foreign.includes(row) ? retiredKey(row, nowMs) : row));
}
