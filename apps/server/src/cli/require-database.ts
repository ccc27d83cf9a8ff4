import type { Config } from "../config/config.ts";
import { hasOwnDatabase } from "../platform/embedded-postgres/embedded-postgres.ts";
import { UserError } from "./user-error.ts";

/**
 * For commands on a server that has run already: opening would make a database in whatever folder
 * was named, and the command would speak of that one (OPS126).
 */
export async function requireDatabase({ databaseUrl, dataDir }: Config): Promise<void> {
  if (databaseUrl !== undefined || (await hasOwnDatabase(dataDir))) return;
  throw new UserError({
    code: "no-server-here",
    message: "the data directory holds no server",
    hint: "check --data-dir or DATABASE_URL; they are those of `tidemark-server serve`",
  });
}
