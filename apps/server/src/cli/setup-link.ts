import { base32 } from "@tidemark/protocol";
import { publicUrlsOf, type Config } from "../config/config.ts";
import { readOrigin } from "../config/origin.ts";
import { createLog } from "../platform/log.ts";
import type { AccountStore } from "../store/accounts-port.ts";
import type { CommandDeps } from "./command-deps.ts";
import { guardInstance } from "./instance-guard.ts";
import { openDatabase, openStore } from "./open-database.ts";
import { readPublicUrls } from "./public-urls-file.ts";
import { requireDatabase } from "./require-database.ts";
import { createResetLink, createSetupLink, setupLinkMinutes } from "./setup-secret.ts";

/** `setup-link`: prints a new link for the owner to be, whether the server runs or not (OPS24). */
export async function runSetupLink(
  deps: CommandDeps,
  config: Config,
  options: LinkOptions,
): Promise<void> {
  await printLink(deps, config, options, async (accounts, url) => {
    const link = await createSetupLink(deps, accounts, url);
    return { link, text: advice(link) };
  });
}

/** `owner-reset`: prints a link for a new device of the owner, as `setup-link` does (OPS72). */
export async function runOwnerReset(
  deps: CommandDeps,
  config: Config,
  options: LinkOptions,
): Promise<void> {
  await requireDatabase(config);
  await printLink(deps, config, options, async (accounts, url) => {
    const { link, owner } = await createResetLink(deps, accounts, url);
    const safe = JSON.stringify(owner);
    const text = [
      `Whoever opens this link first is in as ${safe}, the owner of this server.`,
      `On the new device, within ${setupLinkMinutes} minutes:\n`,
      `  tidemark pair '${link}'${trustOf(link)}\n`,
      "Then shut out what was lost: `tidemark device list`, `tidemark device revoke NAME`.\n",
    ].join("\n");
    return { link, text };
  });
}

interface LinkOptions {
  readonly isJson: boolean;
  readonly hasLostDatabase: boolean;
}

type MakeLink = (
  accounts: AccountStore,
  publicUrl: string,
) => Promise<{ readonly link: string; readonly text: string }>;

/** Makes a link beside a running server, or with a database that runs for as long as it takes. */
async function printLink(
  deps: CommandDeps,
  config: Config,
  options: LinkOptions,
  make: MakeLink,
): Promise<void> {
  const log = createLog({ level: "error" });
  const database = await openDatabase({ ...deps, log }, config, true);
  try {
    const store = await openStore(deps, database);
    try {
      const server = await store.accounts.server(() => `srv_${base32(deps.random.bytes(16))}`);
      const { dataDir } = config;
      const { hasLostDatabase } = options;
      await guardInstance({ ...deps, log }, { dataDir, hasLostDatabase }, server);
      const { link, text } = await make(store.accounts, await publicUrl(config));
      const told = database.isStartedHere ? `${text}${startFirst}` : text;
      deps.terminal.print(options.isJson ? `${JSON.stringify({ link })}\n` : told);
    } finally {
      await store.close();
    }
  } finally {
    await database.stop();
  }
}

/** What a person is told to do with a setup link. */
export function advice(link: string): string {
  return [
    "This server has no owner yet: whoever opens this link first is the owner.",
    `On your first device, within ${setupLinkMinutes} minutes:\n`,
    `  tidemark pair '${link}'${trustOf(link)}\n\n`,
  ].join("\n");
}

function trustOf(link: string): string {
  const origin = readOrigin(new URL(link).origin);
  return origin.ok && origin.value.kind === "private-http" ? " --allow-http" : "";
}

const startFirst =
  "The server on this data directory does not run; start it first: tidemark-server serve\n";

async function publicUrl(config: Config): Promise<string> {
  const [configured] = config.publicUrls;
  const [noted] = await readPublicUrls(config.dataDir);
  const [fallback = ""] = publicUrlsOf(config, config.port);
  return configured ?? noted ?? fallback;
}
