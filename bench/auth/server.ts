/**
 * The server of `bench:auth`, as a process of its own, so that its CPU time is nobody else's: the
 * product's application on one port, the same without its checks on another, over one store.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openVault } from "../../apps/server/src/auth/testing/auth-deps.ts";
import { createSetupSecret, secretHash } from "../../apps/server/src/auth/link-secrets.ts";
import { quotaPreset } from "../../apps/server/src/domain/quota.ts";
import { createApp } from "../../apps/server/src/http/app.ts";
import type { AppDeps } from "../../apps/server/src/http/app-deps.ts";
import { startEmbeddedPostgres } from "../../apps/server/src/platform/embedded-postgres/embedded-postgres.ts";
import { compressContent, createExpander } from "../../apps/server/src/platform/gzip.ts";
import { hmacSha256, sha256, timingSafeEqual } from "../../apps/server/src/platform/hash.ts";
import { listen } from "../../apps/server/src/platform/http-server.ts";
import { migrate } from "../../apps/server/src/store/postgres/migrate.ts";
import { createPostgresStore } from "../../apps/server/src/store/postgres/postgres-store.ts";
import type { DeviceId } from "../../packages/protocol/src/index.ts";
import { serverParts } from "../sync/server-parts.ts";
import { createBareApp } from "../../apps/server/src/http/testing/bare-app.ts";

/** What the server tells the bench, one message after the other. */
export type Told =
  | { readonly kind: "full"; readonly port: number; readonly secret: string }
  | { readonly kind: "bare"; readonly port: number };

const host = "127.0.0.1";
const setupMs = 3_600_000;

const parts = serverParts();
const folder = mkdtempSync(join(tmpdir(), "tidemark-bench-"));
const database = await startEmbeddedPostgres(parts, { dataDir: join(folder, "server") });
if (!database.ok) throw new Error(database.error.message);
await migrate(database.value.url);
const store = createPostgresStore({ ...parts, url: database.value.appUrl });
const deps = (port: number): AppDeps => ({
  ...parts,
  sha256,
  hmacSha256,
  isSameSecret: timingSafeEqual,
  gzip: { compress: compressContent, createExpander },
  store,
  vault: openVault,
  publicUrls: [`http://${host}:${String(port)}`],
  version: "bench",
  quota: quotaPreset,
});
await store.accounts.server(() => "srv_bench");
const secret = createSetupSecret(parts);
await store.accounts.saveSetupSecret(secretHash({ sha256 }, secret), parts.clock.nowMs() + setupMs);

const open = [
  await listen(parts.timers, { host, port: 0 }, async (port) => {
    tell({ kind: "full", port, secret });
    return await Promise.resolve(createApp(deps(port)));
  }),
];

// The devices that the bare application is to know, once they came in by the full one.
process.on("message", (ids: readonly DeviceId[]) => void serveBare(ids));
process.on("disconnect", () => void stop());

async function serveBare(ids: readonly DeviceId[]): Promise<void> {
  const found = await Promise.all(ids.map(async (id) => await store.accounts.device(id)));
  const devices = found.flatMap((device) => device ?? []);
  const http = await listen(parts.timers, { host, port: 0 }, async (port) =>
    Promise.resolve(createBareApp(deps(port), devices)),
  );
  open.push(http);
  tell({ kind: "bare", port: http.port });
}

async function stop(): Promise<void> {
  await Promise.all(open.map(async (http) => await http.close(0)));
  await store.close();
  if (database.ok) await database.value.stop();
  rmSync(folder, { recursive: true, force: true });
  process.exit(0);
}

function tell(told: Told): void {
  process.send?.(told);
}
