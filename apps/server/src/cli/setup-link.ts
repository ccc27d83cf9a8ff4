import { base32 } from "@tidemark/protocol";
import { publicUrlsOf, type Config } from "../config/config.ts";
import { readOrigin } from "../config/origin.ts";
import { createLog } from "../platform/log.ts";
import type { CommandDeps } from "./command-deps.ts";
import { guardInstance } from "./instance-guard.ts";
import { openDatabase, openStore } from "./open-database.ts";
import { readPublicUrls } from "./public-urls-file.ts";
import { createSetupLink, setupLinkMinutes } from "./setup-secret.ts";

/** `setup-link`: prints a new link for the owner to be, whether the server runs or not (OPS24). */
export async function runSetupLink(
  deps: CommandDeps,
  config: Config,
  options: { readonly isJson: boolean; readonly hasLostDatabase: boolean },
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
      const link = await createSetupLink(deps, store.accounts, await publicUrl(config));
      const text = database.isStartedHere ? `${advice(link)}${startFirst}` : advice(link);
      deps.terminal.print(options.isJson ? `${JSON.stringify({ link })}\n` : text);
    } finally {
      await store.close();
    }
  } finally {
    await database.stop();
  }
}

/** What a person is told to do with a setup link. */
export function advice(link: string): string {
  const origin = readOrigin(new URL(link).origin);
  const trust = origin.ok && origin.value.kind === "private-http" ? " --allow-http" : "";
  return [
    "This server has no owner yet: whoever opens this link first is the owner.",
    `On your first device, within ${setupLinkMinutes} minutes:\n`,
    `  tidemark pair '${link}'${trust}\n\n`,
  ].join("\n");
}

const startFirst =
  "The server on this data directory does not run; start it first: tidemark-server serve\n";

async function publicUrl(config: Config): Promise<string> {
  const [configured] = config.publicUrls;
  const [noted] = await readPublicUrls(config.dataDir);
  const [fallback = ""] = publicUrlsOf(config, config.port);
  return configured ?? noted ?? fallback;
}
