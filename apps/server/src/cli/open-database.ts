import { fail, ok, type Result } from "@tidemark/protocol";
import type { Config } from "../config/config.ts";
import {
  findEmbeddedPostgres,
  startEmbeddedPostgres,
} from "../platform/embedded-postgres/embedded-postgres.ts";
import type { EmbeddedPostgresFailure } from "../platform/embedded-postgres/failure.ts";
import type { Log } from "../platform/log.ts";
import { createPostgresStore } from "../store/postgres/postgres-store.ts";
import type { Store } from "../store/port.ts";
import { findAppRole } from "./app-role.ts";
import { checkWalls } from "./check-walls.ts";
import type { CommandDeps } from "./command-deps.ts";
import { checkDatabase, requireWholeEncoding } from "./database-check.ts";
import { migrateTold, tablesWaiting } from "./migrate-told.ts";
import { UserError } from "./user-error.ts";

/** A database that is ready for use. */
export interface OpenDatabase {
  /** The owner's connection string, for migrations. */
  readonly ownerUrl: string;
  /** The connection string that serves requests. */
  readonly url: string;
  /** Resolves if the server's own PostgreSQL is lost; never for somebody else's. */
  readonly failed: Promise<EmbeddedPostgresFailure>;
  /** Its connections are a pooler's; see {@link CheckedDatabase}. */
  readonly isPooled: boolean;
  /** How it keeps text; see {@link CheckedDatabase}. */
  readonly encoding: string;
  /** True when this command started PostgreSQL, and so no server runs on the data directory. */
  readonly isStartedHere: boolean;
  /** Ends what was started here. */
  stop(): Promise<void>;
}

/** How our own PostgreSQL keeps text; it is made so. */
const ownEncoding = "UTF8";
const never = new Promise<never>(() => {});
const nothing = async (): Promise<void> => {};

/**
 * Opens the configured database or starts the server's own.
 *
 * @param mayShare for commands beside a running server: use the PostgreSQL that it has started
 */
export async function openDatabase(
  deps: CommandDeps & { readonly log: Log },
  config: Config,
  mayShare: boolean,
): Promise<OpenDatabase> {
  const { databaseUrl } = config;
  if (databaseUrl !== undefined) {
    const { isPooled, encoding } = await checkDatabase(deps, databaseUrl);
    return {
      ownerUrl: databaseUrl,
      url: databaseUrl,
      failed: never,
      isPooled,
      encoding,
      isStartedHere: false,
      stop: nothing,
    };
  }
  const own = await openOwn(deps, config.dataDir, mayShare);
  if (own.ok) return own.value;
  const { kind, message, hint } = own.error;
  throw new UserError({ code: kind, message, hint });
}

/** Brings the tables up to date and opens the store over them. */
export async function openStore(
  deps: Pick<CommandDeps, "clock" | "random" | "timers"> & {
    readonly log?: Pick<Log, "info" | "warn">;
    readonly onTransaction?: (change: 1 | -1) => void;
  },
  database: Pick<OpenDatabase, "url" | "ownerUrl" | "isPooled" | "encoding">,
): Promise<Store> {
  requireWholeEncoding(database);
  const { later } = await migrateTold(deps, database.ownerUrl, () => {
    deps.log?.warn("tables-waiting", tablesWaiting);
  });
  if (later.length > 0) {
    deps.log?.warn("database-newer", { migrations: later.join(", "), fix: "update this server" });
  }
  const isOwner = database.url === database.ownerUrl;
  const role = isOwner ? await findAppRole(database.url) : undefined;
  if (!(await checkWalls(database.url, role))) {
    deps.log?.warn("second-wall-off", { role: "the login passes row-level security" });
  }
  const { clock, random, timers } = deps;
  return createPostgresStore({
    url: database.url,
    clock,
    random,
    timers,
    ...(role === undefined ? {} : { role }),
    ...(deps.onTransaction === undefined ? {} : { onTransaction: deps.onTransaction }),
    ...preparing(deps, database),
  });
}

/**
 * Behind a pooler a statement that one connection prepared is not there on the next, so none is
 * prepared there unless the connection string says that the pooler knows them (PG37).
 */
function preparing(
  deps: { readonly log?: Pick<Log, "info"> },
  { isPooled, url }: Pick<OpenDatabase, "url" | "isPooled">,
): { readonly prepare?: boolean } {
  if (!isPooled) return {};
  const isSaid = URL.canParse(url) && new URL(url).searchParams.has("prepare");
  deps.log?.info("database-pooled", { prepared: isSaid ? "as DATABASE_URL says" : "off" });
  return isSaid ? {} : { prepare: false };
}

async function openOwn(
  deps: CommandDeps & { readonly log: Log },
  dataDir: string,
  mayShare: boolean,
): Promise<Result<OpenDatabase, EmbeddedPostgresFailure>> {
  const started = await startEmbeddedPostgres(deps, { dataDir });
  if (started.ok) {
    const own = started.value;
    const stop = async (): Promise<void> => await own.stop();
    const { url, appUrl, failed } = own;
    return ok({
      ownerUrl: url,
      url: appUrl,
      failed,
      isPooled: false,
      encoding: ownEncoding,
      isStartedHere: true,
      stop,
    });
  }
  if (!mayShare || started.error.kind !== "data-dir-in-use") return started;
  const running = await findEmbeddedPostgres(dataDir);
  if (running === undefined) return fail(started.error);
  const { url, appUrl } = running;
  return ok({
    ownerUrl: url,
    url: appUrl,
    failed: never,
    isPooled: false,
    encoding: ownEncoding,
    isStartedHere: false,
    stop: nothing,
  });
}
