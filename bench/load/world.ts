// The built server on its embedded PostgreSQL, and people with devices on it.
import { setTimeout as sleep } from "node:timers/promises";
import { findEmbeddedPostgres } from "../../apps/server/src/platform/embedded-postgres/embedded-postgres.ts";
import {
  claimServer,
  signIn,
  type Server,
  type TestClient,
} from "../../apps/server/src/http/testing/client.ts";
import { createTestDevice } from "../../apps/server/src/auth/testing/device.ts";
import type { AccountStore } from "../../apps/server/src/store/accounts-port.ts";
import { createPostgresStore } from "../../apps/server/src/store/postgres/postgres-store.ts";
import type { DeviceId, NamespaceId, UserId } from "../../packages/protocol/src/index.ts";
import { exampleHost } from "../../test/neighbours/proxies.ts";
import {
  freePort,
  linksIn,
  serverAt,
  type Bench,
  type ServerProcess,
} from "../../test/program/server-process.ts";
import { serverParts } from "../sync/server-parts.ts";

/** How devices know the server, whichever way their requests go. */
export const publicUrl: string = `https://${exampleHost}`;

/** A server that runs. */
export interface Running {
  readonly process: ServerProcess;
  readonly port: number;
  /** From the start of the process until `/readyz` said yes. */
  readonly readyMs: number;
}

/** Starts the built server and asks every few milliseconds whether it is ready. */
export async function startReady(bench: Bench, dataDir: string): Promise<Running> {
  const port = await freePort();
  const started = performance.now();
  const serving = bench.serve({
    args: ["--port", String(port), "--data-dir", dataDir, "--quota-device-ops", "10000000"],
    env: { TIDEMARK_PUBLIC_URL: publicUrl, TRUSTED_PROXIES: "127.0.0.1" },
  });
  const failure = new AbortController();
  // What failed is told below, where it is waited for.
  serving.catch(() => failure.abort());
  let isReady = false;
  while (!isReady && !failure.signal.aborted && performance.now() - started < 60_000) {
    await sleep(5);
    // Before it listens, nobody answers.
    const answer = await fetch(`http://127.0.0.1:${String(port)}/readyz`).catch(() => undefined);
    await answer?.arrayBuffer();
    isReady = answer?.status === 200;
  }
  const readyMs = performance.now() - started;
  return { process: await serving, port, readyMs };
}

/**
 * The server as devices know it. Each request tells a network of its own, as a proxy does, so that
 * what is measured is not how one network is held to its share.
 */
export function serverOn({ process, port }: Running): Server {
  let asked = 0;
  return {
    ...serverAt(publicUrl, linksIn(process.stdout())[0]),
    app: {
      fetch: async (request) => {
        const { pathname, search } = new URL(request.url);
        const headers = new Headers(request.headers);
        headers.set("x-forwarded-for", networkOf((asked += 1)));
        const body = Buffer.from(await request.arrayBuffer());
        return await fetch(`http://127.0.0.1:${String(port)}${pathname}${search}`, {
          method: request.method,
          headers,
          ...(body.length === 0 ? {} : { body }),
        });
      },
    },
  };
}

function networkOf(at: number): string {
  return `10.${String((at >> 16) % 256)}.${String((at >> 8) % 256)}.${String(at % 256)}`;
}

/** Everybody on the server: the owner, and people of one namespace with their devices. */
export interface World {
  readonly server: Server;
  readonly owner: TestClient;
  readonly namespace: NamespaceId;
  readonly devices: readonly TestClient[];
}

/**
 * Claims the server and lets people in. Links are made and opened in the server's own store: over
 * HTTP their rates would make the run an hour longer, and they are not what is measured.
 */
export async function populate(
  running: Running,
  dataDir: string,
  size: { readonly people: number; readonly devicesOfEach: number },
): Promise<World> {
  const server = serverOn(running);
  const owner = await claimServer(server);
  const { id: namespace } = await owner.createNamespace("load");
  const urls = await findEmbeddedPostgres(dataDir);
  if (urls === undefined) throw new Error("the server has no database");
  const store = createPostgresStore({ ...serverParts(), url: urls.appUrl });
  const devices: TestClient[] = [];
  try {
    const admit = createAdmitter(store.accounts, server);
    for (let person = 0; person < size.people; person += 1) {
      const user = { id: `usr_${String(person)}` as UserId, name: `person ${String(person)}` };
      const maker = { user: owner.admission.user.id, device: owner.admission.device.id };
      const first = await admit({ kind: "invite", maker, user, namespace });
      const own = { user: user.id, device: first.admission.device.id };
      const more = Array.from({ length: size.devicesOfEach - 1 }, async () =>
        admit({ kind: "device", maker: own, user, namespace: undefined }),
      );
      devices.push(first, ...(await Promise.all(more)));
    }
  } finally {
    await store.close();
  }
  return { server, owner, namespace, devices };
}

interface Admitting {
  readonly kind: "invite" | "device";
  readonly maker: { readonly user: UserId; readonly device: DeviceId };
  readonly user: { readonly id: UserId; readonly name: string };
  readonly namespace: NamespaceId | undefined;
}

function createAdmitter(
  accounts: AccountStore,
  server: Server,
): (admitting: Admitting) => Promise<TestClient> {
  let made = 0;
  return async ({ kind, maker, user, namespace }) => {
    const name = String((made += 1));
    const device = await createTestDevice(`load ${name}`);
    const nowMs = Date.now();
    const link = { id: `lnk_${name}`, authHash: `hash ${name}` };
    const created = await accounts.createLink({
      ...link,
      kind,
      createdBy: maker.user,
      createdByDevice: maker.device,
      namespace,
      role: kind === "invite" ? "writer" : undefined,
      expiresAtMs: nowMs + 600_000,
    });
    if (!created.ok) throw new Error(created.error.kind);
    const { key, thumbprint } = device;
    const id = `dev_${name}` as DeviceId;
    const personal = { id: `ns_own_${name}` as NamespaceId, name: "personal", mark: "m" };
    const admitted = await accounts.redeemLink({
      ...link,
      mac: "m".repeat(43),
      nowMs,
      device: { id, name, platform: "linux x64", key, thumbprint },
      user: kind === "invite" ? { ...user, personal } : undefined,
    });
    if (!admitted.ok) throw new Error(admitted.error.kind);
    return await signIn(server, device, { ...admitted.value, server: { id: "srv_load" } });
  };
}
