import { rmSync } from "node:fs";
import { fail, isId, ok, type DeviceId, type Result, type UserId } from "@tidemark/protocol";
import type { Clock } from "./clock.ts";
import type { Paths } from "./paths.ts";
import { readPrivateFile, replacePrivateFile, type FileError } from "./private-file.ts";

/** Who this device is, and the server it is paired with. */
export interface Identity {
  readonly device: { readonly id: DeviceId; readonly name: string };
  readonly user: { readonly id: UserId; readonly name: string };
  readonly server: { readonly id: string; readonly url: string };
  readonly pairedAtMs: number;
}

/** Why the identity cannot be read. */
export type IdentityError =
  | FileError
  | { readonly kind: "bad-identity"; readonly path: string; readonly hint: string };

/** Reads `device.json`; undefined while the device is not paired. */
export function readIdentity(path: string): Result<Identity | undefined, IdentityError> {
  const text = readPrivateFile(path);
  if (!text.ok) return text;
  if (text.value === undefined) return ok(undefined);
  const identity = parseIdentity(text.value);
  const hint = "the file is damaged; move it away and pair this device again";
  return identity === undefined ? fail({ kind: "bad-identity", path, hint }) : ok(identity);
}

/** Writes `device.json`, whole or not at all. */
export function writeIdentity(path: string, identity: Identity): Result<void, FileError> {
  return replacePrivateFile(path, `${JSON.stringify(identity, undefined, 2)}\n`);
}

/** Takes `device.json` away: the device is not paired any more. */
export function removeIdentity(path: string): void {
  rmSync(path, { force: true });
}

/** Servers take a counter up to a year above their clock; a day more is for clocks that differ. */
const counterAheadMsMax = 366 * 86_400_000;

/**
 * The next counter for a signed assertion: rising, above what a server says it has seen, and on
 * the disk before it is given (AU16: a counter that steps back tells a server of a copied key).
 * Where the file was lost, the clock's milliseconds stand in, which no honest count has reached.
 */
export function nextAssertionCounter(
  paths: Pick<Paths, "assertionCounter">,
  clock: Clock,
  above = 0,
): Result<number, FileError> {
  const text = readPrivateFile(paths.assertionCounter);
  if (!text.ok) return text;
  const last = Number(text.value ?? Number.NaN);
  const nowMs = clock.nowMs();
  const most = nowMs + counterAheadMsMax;
  // What no server takes was written by a clock that was far off: begin anew from this one.
  const own = Number.isSafeInteger(last) && last > 0 && last < most ? last + 1 : nowMs;
  const next = Math.max(own, Math.min(above + 1, most));
  const written = replacePrivateFile(paths.assertionCounter, `${next}\n`);
  return written.ok ? ok(next) : written;
}

function parseIdentity(text: string): Identity | undefined {
  const root = parseObject(text);
  const device = namedPart(root?.["device"]);
  const user = namedPart(root?.["user"]);
  const server = objectOf(root?.["server"]);
  const { id, url } = server ?? {};
  if (device === undefined || user === undefined) return undefined;
  if (typeof id !== "string" || typeof url !== "string") return undefined;
  const at = root?.["pairedAtMs"];
  return {
    device: { id: device.id as DeviceId, name: device.name },
    user: { id: user.id as UserId, name: user.name },
    server: { id, url },
    pairedAtMs: typeof at === "number" ? at : 0,
  };
}

function namedPart(value: unknown): { id: string; name: string } | undefined {
  const { id, name } = objectOf(value) ?? {};
  if (typeof id !== "string" || !isId(id) || typeof name !== "string") return undefined;
  return { id, name };
}

function parseObject(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    return objectOf(JSON.parse(text));
  } catch {
    return undefined;
  }
}

function objectOf(value: unknown): Readonly<Record<string, unknown>> | undefined {
  return typeof value === "object" && value !== null ? { ...value } : undefined;
}
