import { base32 } from "@tidemark/protocol";
import type { PublicUrls } from "../auth/auth-deps.ts";
import { publicIssuers } from "../auth/jobs/issuers.ts";
import type { KeyVault } from "../auth/key-vault.ts";
import { areMastersMany } from "../auth/signing-key-rules.ts";
import { turnSigningKeys } from "../auth/signing-keys.ts";
import { listenUrlOf, publicUrlsOf, type Config } from "../config/config.ts";
import { applyRetention } from "../domain/retention.ts";
import type { AppDeps } from "../http/app-deps.ts";
import { createApp, type App } from "../http/app.ts";
import type { ServerMetrics } from "../metrics/server-metrics.ts";
import { compressContent, createExpander } from "../platform/gzip.ts";
import { hmacSha256, sha256, timingSafeEqual } from "../platform/hash.ts";
import { fetchFromIssuer, fetchFromProvider } from "../platform/issuer-fetch.ts";
import { listen, type HttpServer } from "../platform/http-server.ts";
import { createLog, type Log } from "../platform/log.ts";
import { onShutdown, type Shutdown, type ShutdownStep } from "../platform/shutdown.ts";
import type { HeadNotices } from "../platform/head-notices.ts";
import { createSecretCheck } from "../platform/secret-look/secret-check.ts";
import { builtSideThread } from "../platform/secret-look/side-thread.ts";
import { createNetworkCheck } from "../networks.ts";
import type { Store } from "../store/port.ts";
import { version } from "../version.ts";
import type { CommandDeps } from "./command-deps.ts";
import { keepAuditWitness } from "./audit-witness.ts";
import { guardInstance, rememberInstance } from "./instance-guard.ts";
import { listenError } from "./listen-error.ts";
import { openDatabase, openStore, type OpenDatabase } from "./open-database.ts";
import { createMetrics, createObserver, openMetrics } from "./open-metrics.ts";
import { openNotices } from "./open-notices.ts";
import { openVault } from "./open-vault.ts";
import { writePublicUrls } from "./public-urls-file.ts";
import { quotaOf } from "./quota-of.ts";
import { advice } from "./setup-link.ts";
import { createSetupLink } from "./setup-secret.ts";

/** How often old revisions and marks are put away, in milliseconds. */
const retentionEveryMs = 6 * 3_600_000;
/** How long open requests may take once the server stops, in milliseconds. */
const drainMs = 2_500;

interface ServeDeps extends CommandDeps {
  readonly log: Log;
  readonly metrics: ServerMetrics;
}

/** `serve`: opens the database, listens, and puts everything away at SIGTERM, SIGINT or SIGHUP (OPS22). */
export async function runServe(
  deps: CommandDeps,
  config: Config,
  options: { readonly hasLostDatabase: boolean },
): Promise<void> {
  const log = createLog({ level: config.logLevel });
  for (const warning of config.warnings) log.warn("setting", { warning });
  const serveDeps: ServeDeps = { ...deps, log, metrics: createMetrics(config) };
  const { signals, timers, terminal } = deps;
  const opened: ShutdownStep[] = [];
  const exit = (code: number): void => {
    terminal.exit(code);
  };
  let settle = (): void => {};
  const started = new Promise<void>((resolve) => {
    settle = resolve;
  });
  // From the first moment: a server that is stopped while it starts leaves nothing behind.
  const shutdown = onShutdown({ signals, timers, log, exit }, opened, started);
  try {
    await start(serveDeps, config, { ...options, opened, shutdown });
  } catch (cause) {
    // Whoever asked to stop gets that; the drain puts away what was opened.
    if (shutdown.hasBegun()) return;
    for (const step of opened) await step.run(new AbortController().signal);
    throw cause;
  } finally {
    settle();
  }
}

interface Starting {
  readonly hasLostDatabase: boolean;
  /** What to put away, in order. */
  readonly opened: ShutdownStep[];
  readonly shutdown: Shutdown;
}

/** Opens one thing after the other, and nothing more once the server is to stop. */
async function start(deps: ServeDeps, config: Config, starting: Starting): Promise<void> {
  const { opened, shutdown } = starting;
  const database = await openDatabase(deps, config, false);
  opened.unshift({ name: "database", run: async () => await database.stop() });
  void endWhenLost(deps, database, shutdown);
  if (shutdown.hasBegun()) return;
  const { metrics } = deps;
  const store = await openStore(
    { ...deps, onTransaction: (change) => metrics.transaction(change) },
    database,
  );
  opened.unshift({ name: "store", run: async () => await store.close() });
  if (shutdown.hasBegun()) return;
  await startServing(deps, config, { ...starting, url: database.url, store });
}

/** A server whose database is lost for good is of no use: it ends, loudly. */
async function endWhenLost(
  deps: ServeDeps,
  database: OpenDatabase,
  shutdown: Shutdown,
): Promise<void> {
  const failure = await database.failed;
  deps.log.error("database-lost", { kind: failure.kind, message: failure.message });
  shutdown.begin("database-lost", 1);
}

interface Opened extends Starting {
  readonly url: string;
  readonly store: Store;
}

async function startServing(deps: ServeDeps, config: Config, opened: Opened): Promise<void> {
  const { accounts } = opened.store;
  const server = await accounts.server(() => `srv_${base32(deps.random.bytes(16))}`);
  const { dataDir } = config;
  await guardInstance(deps, { dataDir, hasLostDatabase: opened.hasLostDatabase }, server);
  const headNotices = await openNotices(deps, config.pokeMode, opened.url);
  if (headNotices !== undefined) {
    opened.opened.unshift({ name: "notices", run: async () => await headNotices.close() });
  }
  const vault = await openVault(deps, config);
  // Whatever a server of before has left in plain signs no more from here on (AU19).
  const keys = await turnSigningKeys({ ...deps, vault, accounts }, { stripPlain: true });
  if (areMastersMany(keys)) {
    deps.log.warn("master-key-not-shared", {
      fix: "give all servers of this database one master key by TIDEMARK_MASTER_KEY_FILE",
    });
  }
  const own = { store: opened.store, vault, headNotices };
  const { http, app, listenUrl, urls } = await startListening(deps, config, own);
  const metricsServer = await openMetrics(deps, config, {
    metrics: deps.metrics,
    store: opened.store,
    streams: () => app.streams(),
  });
  opened.opened.unshift({ name: "metrics", run: async () => await metricsServer?.close(drainMs) });
  const stopRetention = keepRetention(deps, config, opened.store);
  const endWitness = await keepAuditWitness({ ...deps, accounts }, dataDir);
  opened.opened.unshift({ name: "audit", run: endWitness });
  opened.opened.unshift({
    name: "http",
    run: async () => {
      stopRetention();
      app.drain();
      app.close();
      await http.close(drainMs);
    },
  });
  await noteUrls(deps, dataDir, urls);
  const [publicUrl] = urls;
  deps.terminal.print(listenLine(listenUrl, urls));
  if (server.claimedAtMs === undefined) {
    deps.terminal.print(advice(await createSetupLink(deps, accounts, publicUrl)));
  }
}

/** Where the server listens, and what devices call it where that is something else. */
function listenLine(listenUrl: string, urls: PublicUrls): string {
  const isOne = urls.length === 1 && urls[0] === listenUrl;
  const known = isOne ? "" : ` and is known to devices as ${urls.join(" and ")}`;
  return `Tidemark listens on ${listenUrl}${known}\n`;
}

interface Listening {
  readonly http: HttpServer;
  readonly app: App;
  /** The address that it really listens on. */
  readonly listenUrl: string;
  readonly urls: PublicUrls;
}

/** What the application is made of beside the settings. */
interface Own {
  readonly store: Store;
  readonly vault: KeyVault;
  readonly headNotices: HeadNotices | undefined;
}

async function startListening(deps: ServeDeps, config: Config, own: Own): Promise<Listening> {
  const made: { app?: App; listenUrl?: string; urls?: PublicUrls } = {};
  const { host, port } = config;
  try {
    const http = await listen(deps.timers, { host, port }, async (realPort) => {
      const [main = "", ...others] = publicUrlsOf(config, realPort);
      made.urls = [main, ...others];
      made.listenUrl = listenUrlOf(host, realPort);
      made.app = createServerApp(deps, config, { ...own, publicUrls: made.urls });
      return made.app;
    });
    const { app, listenUrl, urls } = made;
    if (app === undefined || listenUrl === undefined || urls === undefined) {
      throw new Error("nothing listens");
    }
    return { http, app, listenUrl, urls };
  } catch (cause) {
    throw listenError(cause, { host, port }) ?? cause;
  }
}

function createServerApp(
  deps: ServeDeps,
  config: Config,
  own: Own & { readonly publicUrls: PublicUrls },
): App {
  const { clock, random, timers, log } = deps;
  const { store, vault, publicUrls, headNotices } = own;
  return createApp({
    clock,
    random,
    timers,
    log,
    sha256,
    hmacSha256,
    isSameSecret: timingSafeEqual,
    gzip: { compress: compressContent, createExpander },
    store,
    vault,
    publicUrls,
    ...(headNotices === undefined ? {} : { headNotices }),
    version,
    quota: quotaOf(config),
    observer: createObserver(config, deps.metrics),
    ...(config.secretCheck ? { secrets: createServerCheck(log) } : {}),
    pairing: config.pairing,
    jobs: { issuers: [...publicIssuers, ...config.jobIssuers], fetch: fetchFromIssuer },
    ...oidcOf(config),
    isTrustedProxy: createNetworkCheck(config.trustedProxies),
    onClaimed: async (serverId) => {
      await rememberInstance(deps, config.dataDir, { serverId, isClaimed: true });
    },
  });
}

/** An update may have put another program beside this one, whose thread it starts no more (OPS110). */
function createServerCheck(log: Log): ReturnType<typeof createSecretCheck> {
  const onOther = (): void => {
    log.warn("secret-look-other-build", {
      reason: "secret-look.js beside this program is of another build, or gone: one thread looks",
      fix: "restart the server: its files were replaced while it ran; if it says so again, install it anew",
    });
  };
  return createSecretCheck(builtSideThread(onOther));
}

/** The provider that the console may be signed in by. */
function oidcOf(config: Config): Pick<AppDeps, "oidc"> {
  const { oidcIssuer: issuer, oidcClientId: clientId, oidcLabel: label } = config;
  if (issuer === "") return {};
  const clientSecret = config.oidcClientSecret === "" ? undefined : config.oidcClientSecret;
  const settings = { issuer, clientId, clientSecret, label };
  return { oidc: { settings, fetch: fetchFromProvider } };
}

function keepRetention(deps: ServeDeps, config: Config, store: Store): () => void {
  const round = async (): Promise<void> => {
    try {
      const nowMs = deps.clock.nowMs();
      await applyRetention({ store }, { nowMs, revisionDays: config.revisionRetentionDays });
      deps.metrics.retention(true, nowMs);
    } catch (cause) {
      deps.metrics.retention(false, deps.clock.nowMs());
      deps.log.warn("retention-failed", { name: cause instanceof Error ? cause.name : "unknown" });
    }
  };
  // A server that is restarted more often than a round comes would never trim.
  void round();
  return deps.timers.every(retentionEveryMs, () => {
    void round();
  });
}

async function noteUrls(deps: ServeDeps, dataDir: string, urls: PublicUrls): Promise<void> {
  try {
    await writePublicUrls(deps, dataDir, urls);
  } catch (cause) {
    // Only commands beside the server miss it, and they take --public-url.
    const reason = cause instanceof Error ? cause.message : String(cause);
    deps.log.warn("public-urls-not-written", { reason });
  }
}
