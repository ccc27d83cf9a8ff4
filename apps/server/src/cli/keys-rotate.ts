import { fail, ok, type Result } from "@tidemark/protocol";
import { turnSigningKeys, type SigningKeysDeps } from "../auth/signing-keys.ts";
import { ownKey } from "../auth/signing-key-rules.ts";
import type { Config } from "../config/config.ts";
import { createLog } from "../platform/log.ts";
import type { SigningKeyRow } from "../store/signing-key-row.ts";
import type { CommandDeps } from "./command-deps.ts";
import { openDatabase, openStore } from "./open-database.ts";
import { openKnownVault } from "./open-vault.ts";
import { requireDatabase } from "./require-database.ts";
import { UserError } from "./user-error.ts";

/** What `keys rotate` was told. */
export interface RotateOptions {
  readonly isJson: boolean;
  /** At once, rather than when the next key was published for a day. */
  readonly isNow: boolean;
  /** The key whose tokens end with it. */
  readonly revoke: string | undefined;
}

/** `keys rotate`: the next key signs access tokens (OPS67); running servers need no restart. */
export async function runKeysRotate(
  deps: CommandDeps,
  config: Config,
  options: RotateOptions,
): Promise<void> {
  const log = createLog({ level: "error" });
  const vault = await openKnownVault(config);
  await requireDatabase(config);
  const database = await openDatabase({ ...deps, log }, config, true);
  try {
    const store = await openStore(deps, database);
    try {
      const { clock, random } = deps;
      const keys = { clock, random, vault, accounts: store.accounts };
      const turned = await rotate(keys, options);
      if (!turned.ok) throw unknownKey(turned.error);
      deps.terminal.print(answer(turned.value, options, clock.nowMs()));
    } finally {
      await store.close();
    }
  } finally {
    await database.stop();
  }
}

interface Rotated {
  /** The key that signs, now or from then on. */
  readonly kid: string;
  readonly fromMs: number;
  readonly isNow: boolean;
}

async function rotate(
  deps: SigningKeysDeps,
  { isNow, revoke }: RotateOptions,
): Promise<Result<Rotated, readonly string[]>> {
  const before = await deps.accounts.signingKeys();
  if (revoke !== undefined && !before.some(({ kid }) => kid === revoke)) {
    return fail(before.map(({ kid }) => kid));
  }
  const { master } = deps.vault;
  const signing = ownKey(before, master, "signing");
  // To end one key says nothing of the others.
  const turn = isNow ? "now" : revoke === undefined ? "soon" : undefined;
  const rows = await turnSigningKeys(deps, { turn, revoke });
  const own = (status: SigningKeyRow["status"] & ("signing" | "next")): SigningKeyRow => {
    const row = ownKey(rows, master, status);
    if (row === undefined) throw new Error("a turn leaves a key that signs and one that waits");
    return row;
  };
  const isTurned = own("signing").kid !== signing?.kid;
  const nowMs = deps.clock.nowMs();
  if (isTurned || turn === undefined) {
    return ok({ kid: own("signing").kid, fromMs: nowMs, isNow: true });
  }
  const { kid, untilMs: fromMs = nowMs } = own("next");
  return ok({ kid, fromMs, isNow: false });
}

const hourMs = 3_600_000;

function answer(
  { kid, fromMs, isNow }: Rotated,
  { isJson, revoke }: RotateOptions,
  nowMs: number,
): string {
  if (isJson) {
    const revoked = revoke === undefined ? {} : { revoked: revoke };
    return `${JSON.stringify({ kid, signsFrom: fromMs, ...revoked })}\n`;
  }
  const ended = revoke === undefined ? "" : `Tokens by ${revoke} are refused from now on.\n`;
  if (isNow) return `${ended}Signing key: ${kid}\n`;
  const hours = Math.ceil((fromMs - nowMs) / hourMs);
  return `Key ${kid} signs in ${hours} h; --now does not wait.\n`;
}

function unknownKey(known: readonly string[]): UserError {
  return new UserError({
    code: "unknown-key",
    message: "there is no signing key of that name",
    hint: `the keys are ${known.join(", ")}`,
  });
}
