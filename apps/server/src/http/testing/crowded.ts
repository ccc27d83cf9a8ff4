import { createTestClock } from "../../auth/testing/auth-deps.ts";
import { emptyAccounts } from "../../store/memory/account-state.ts";
import { createMemoryStore } from "../../store/memory/memory-store.ts";
import { ownNamespaces } from "../../store/testing/own-namespaces.ts";
import { claimServer, type Server, type TestClient } from "./client.ts";
import { createHarness } from "./harness.ts";

/** A server whose owner is in so many namespaces more; rows of before there was a bound. */
export async function crowdedServer(
  count: number,
): Promise<{ readonly server: Server; readonly owner: TestClient }> {
  const accounts = emptyAccounts();
  const harness = createHarness({
    store: createMemoryStore({ clock: createTestClock(), accounts }),
  });
  const server = { ...harness, clock: harness.clock };
  const owner = await claimServer(server);
  ownNamespaces(accounts, owner.admission.user.id, count);
  return { server, owner };
}
