import { Hono } from "hono";
import { ok, type DeviceId } from "@tidemark/protocol";
import type { AppDeps } from "../app-deps.ts";
import type { AppEnv } from "../app-env.ts";
import { readBody } from "../body.ts";
import { createBegin } from "../handlers.ts";
import { watchForwarded } from "../middleware/forwarded.ts";
import { secureAnswers } from "../middleware/security-headers.ts";
import { createParts } from "../parts.ts";
import { routeTable } from "../route-table.ts";
import type { FetchTarget } from "../../platform/http-server.ts";
import type { DeviceRow } from "../../store/accounts-port.ts";
import type { Access, Store } from "../../store/port.ts";

const noBody = ok({ text: "", lines: [] });

/** What a caller of the bare application says of itself, and is believed. */
export const deviceHeader = "x-bench-device";

/**
 * The server's push and pull without anything that asks who calls: no token, no proof, no nonce,
 * no rate, no look at device and membership. It is made of the product's own parts and lives here
 * alone; the product has no way to be told so.
 */
export function createBareApp(given: AppDeps, known: readonly DeviceRow[]): FetchTarget {
  const devices = new Map(known.map((device) => [device.id, device]));
  const deps: AppDeps = { ...given, store: withoutRights(given.store, devices) };
  const parts = createParts(deps);
  const begin = createBegin(parts);
  const hono = new Hono<AppEnv>();
  hono.use("*", secureAnswers(deps));
  hono.use("*", watchForwarded(deps));
  for (const name of ["push", "pull"] as const) {
    const { method, path } = routeTable[name];
    const rule = routeTable[name].body;
    hono.on(method, path, async (c) => {
      const device = devices.get((c.req.header(deviceHeader) ?? "") as DeviceId);
      if (device === undefined) throw new Error("the bench names no device");
      const intake = begin(name, { c, device });
      const body = rule === null ? noBody : await readBody(parts, c, rule, intake.onLines);
      if (!body.ok) throw new Error(body.error);
      const { text, lines } = body.value;
      return await intake.answer({ c, body: text, lines, device });
    });
  }
  return { fetch: async (request, env) => await hono.fetch(request, env) };
}

/** The same store, whose transactions take everybody for an owner without looking. */
function withoutRights(store: Store, devices: ReadonlyMap<DeviceId, DeviceRow>): Store {
  const access = async (id: DeviceId): Promise<Access | undefined> => {
    const user = devices.get(id)?.user;
    return await Promise.resolve(user && { user, role: "owner" });
  };
  return {
    ...store,
    readNamespace: async (place, work) =>
      await store.readNamespace(place, async (tx) => await work({ ...tx, access })),
    writeNamespace: async (place, work) =>
      await store.writeNamespace(place, async (tx) => await work({ ...tx, access })),
  };
}
