import { linkText } from "@tidemark/protocol/wire";
import { createSetupSecret, secretHash } from "../auth/link-secrets.ts";
import { sha256 } from "../platform/hash.ts";
import type { AccountStore } from "../store/accounts-port.ts";
import type { CommandDeps } from "./command-deps.ts";
import { UserError } from "./user-error.ts";

/** How long a setup link opens the server, in minutes (AU1). */
export const setupLinkMinutes = 60;

/** Makes a new setup link beside those of the last hour; only the hash of its secret is kept. */
export async function createSetupLink(
  deps: CommandDeps,
  accounts: Pick<AccountStore, "saveSetupSecret">,
  publicUrl: string,
): Promise<string> {
  const secret = createSetupSecret(deps);
  const expiresAtMs = deps.clock.nowMs() + setupLinkMinutes * 60_000;
  const saved = await accounts.saveSetupSecret(secretHash({ sha256 }, secret), expiresAtMs);
  if (saved.ok) return linkText({ kind: "setup", url: publicUrl, secret });
  throw new UserError({
    code: "already-claimed",
    message: "this server already has an owner",
    hint: "pair another device with `tidemark device add` on a paired one",
  });
}

/** Makes a link that lets one more device of the owner in, and tells whose it is (AU21). */
export async function createResetLink(
  deps: CommandDeps,
  accounts: Pick<AccountStore, "saveOwnerReset">,
  publicUrl: string,
): Promise<{ readonly link: string; readonly owner: string }> {
  const secret = createSetupSecret(deps);
  const nowMs = deps.clock.nowMs();
  const owner = await accounts.saveOwnerReset({
    secretHash: secretHash({ sha256 }, secret),
    expiresAtMs: nowMs + setupLinkMinutes * 60_000,
    nowMs,
  });
  if (owner !== undefined) {
    return { link: linkText({ kind: "setup", url: publicUrl, secret }), owner };
  }
  throw new UserError({
    code: "setup-required",
    message: "this server has no owner yet",
    hint: "print the link that makes one: tidemark-server setup-link",
  });
}
