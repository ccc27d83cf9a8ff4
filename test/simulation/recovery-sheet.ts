import { parseRecoveryCode, type NamespaceId } from "../../packages/protocol/src/index.ts";
import { sha256 } from "../../apps/client/src/platform/hash.ts";
import type { Keeper } from "../../apps/client/src/sync/sealed/keeper.ts";
import { memberLog } from "./member-log.ts";
import type { SimDevice } from "./sim-device.ts";
import type { World } from "./world.ts";

/** The recovery code of a team on a sheet of paper. */
export interface RecoverySheet {
  readonly text: string;
  /** Whether nothing was begun that may have spent it. */
  readonly isSure: boolean;
  /** What stands for it in the team's log. */
  readonly recipients: ReadonlySet<string>;
}

const sheets = new WeakMap<World, Map<string, RecoverySheet>>();

/** The sheet of a team; undefined where nobody wrote one. */
export function sheetOf(world: World, namespace: string): RecoverySheet | undefined {
  return sheets.get(world)?.get(namespace);
}

/** Writes down a code that a command has just shown. */
export function writeSheet(world: World, namespace: NamespaceId, text: string): void {
  const recipients = new Set(memberLog(world.server, namespace)?.codes);
  put(world, namespace, { text, isSure: true, recipients });
}

/** Whether the code on the sheet is none that the team's log knows: another was made since, and lost. */
export function isSheetVoid(world: World, namespace: string): boolean {
  const recipients = sheetOf(world, namespace)?.recipients;
  const codes = memberLog(world.server, namespace)?.codes ?? [];
  return ![...codes].some((code) => recipients?.has(code) === true);
}

/** Opens a team by the code where nobody is left to let this device in; the code is spent then. */
export async function recover(
  world: World,
  device: SimDevice,
  namespace: NamespaceId,
): Promise<void> {
  const sheet = sheetOf(world, namespace);
  const bytes = parseRecoveryCode(sha256, sheet?.text ?? "");
  if (sheet === undefined || bytes === undefined) throw new Error("no recovery code was shown");
  put(world, namespace, { ...sheet, isSure: false });
  const done = await device.keeper().recover(namespace, bytes, new AbortController().signal);
  noteDone(world, namespace, done);
  world.run.trace(`${device.name} types the code: ${done.ok ? "ok" : done.error.code}`);
}

/** Makes another code where the one of before may be spent. */
export async function renewSheet(
  world: World,
  device: SimDevice,
  namespace: NamespaceId,
): Promise<void> {
  const done = await device.keeper().renewRecovery(namespace, new AbortController().signal);
  noteDone(world, namespace, done);
  world.run.trace(`${device.name} makes another code: ${done.ok ? "ok" : done.error.code}`);
}

function noteDone(
  world: World,
  namespace: NamespaceId,
  done: Awaited<ReturnType<Keeper["renewRecovery"]>>,
): void {
  if (done.ok) {
    writeSheet(world, namespace, done.value.recoveryCode);
    return;
  }
  const sheet = sheetOf(world, namespace);
  // Whose role allows no new one is told that the one of before goes on.
  const isKept = done.error.code === "recovery-code-kept" || done.error.code === "forbidden";
  if (isKept && sheet !== undefined) put(world, namespace, { ...sheet, isSure: true });
}

function put(world: World, namespace: string, sheet: RecoverySheet): void {
  const known = sheets.get(world) ?? new Map<string, RecoverySheet>();
  known.set(namespace, sheet);
  sheets.set(world, known);
}
