import { systemClock } from "../platform/clock.ts";
import { lastFailureName, lastFailureText } from "../sync/last-failure.ts";
import type { Failure } from "../sync/transport.ts";
import { attempt } from "../store/store-error.ts";
import type { Memory } from "./memory.ts";

/** Keeps how the last sync began, so that `status` need not ask the server to tell. */
export function noteSync({ store }: Memory, failure: Failure | undefined): void {
  if (failure?.code === "cancelled") return;
  const text = failure === undefined ? undefined : lastFailureText(failure, systemClock.nowMs());
  attempt(() => {
    if (store.upkeep.meta(lastFailureName) !== text) store.upkeep.setMeta(lastFailureName, text);
  });
}
