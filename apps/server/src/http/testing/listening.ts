import type { NamespaceId } from "@tidemark/protocol";
import { listen, type HttpServer } from "../../platform/http-server.ts";
import { systemTimers } from "../../platform/timers.ts";
import { claimServer, type TestClient } from "./client.ts";
import { createHarness, type Harness } from "./harness.ts";

/** A claimed server that listens, for tests that write to its connections themselves. */
export interface Listening {
  readonly harness: Harness;
  readonly owner: TestClient;
  readonly personal: NamespaceId;
  readonly http: HttpServer;
  /** Where the personal namespace stands. */
  readonly head: () => Promise<number>;
}

/** Starts one on a free port of loopback. */
export async function listenClaimed(
  options?: Parameters<typeof createHarness>[0],
): Promise<Listening> {
  const harness = createHarness(options);
  const owner = await claimServer(harness);
  const personal = (await owner.hello()).namespaces?.[0]?.id ?? ("" as NamespaceId);
  const http = await listen(systemTimers, { host: "127.0.0.1", port: 0 }, async () =>
    Promise.resolve(harness.app),
  );
  const head = async (): Promise<number> => {
    const response = await owner.send(`/v1/namespaces/${personal}/digests`);
    return (JSON.parse(await response.text()) as { head: number }).head;
  };
  return { harness, owner, personal, http, head };
}
