import type { Call, Caller } from "../../apps/client/src/sync/http/caller.ts";

/**
 * A caller that asks for small pages, in pulls and heals, which a device has no word for. It does so
 * before the request is signed: what the network adds to a query is refused (AU24).
 */
export function withSmallPages(caller: Caller, recordsOf: () => number | undefined): Caller {
  const small = <T extends Omit<Call, "accept">>(call: T): T => {
    const records = recordsOf();
    const isPaged = call.path.endsWith("/records") || call.query?.["bucket"] !== undefined;
    if (!isPaged || records === undefined) return call;
    return { ...call, query: { ...call.query, limit: String(records) } };
  };
  return {
    ...caller,
    text: (call, signal) => caller.text(small(call), signal),
    lines: (call, signal) => caller.lines(small(call), signal),
    json: (call, schema, signal) => caller.json(small(call), schema, signal),
    open: (call, watchdog) => caller.open(small(call), watchdog),
  };
}
