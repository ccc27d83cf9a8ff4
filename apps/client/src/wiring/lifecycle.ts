import type { NamespaceId } from "@tidemark/protocol";
import { systemClock } from "../platform/clock.ts";
import { attempt } from "../store/store-error.ts";
import type { Replica } from "../store/replica-store.ts";
import type { LifecycleRules } from "../memory/lifecycle/plan.ts";
import { dueLifecycle, runLifecycle, throughAll, type Lifecycle } from "../memory/lifecycle/run.ts";
import { ownNamespaces } from "../recall/scope.ts";
import { canScrub } from "./can-scrub.ts";
import type { Home } from "./home.ts";
import type { Memory } from "./memory.ts";

const dayMs = 86_400_000;
/** The place in the store that says when memory was last aged by itself. */
const ranName = "lifecycle-ran";

/** The namespaces in which this person's memory ages, and by which rules. */
export function lifecyclesOf(
  home: Home,
  { store }: Memory,
  given: Partial<LifecycleRules> & { readonly namespaces?: readonly NamespaceId[] } = {},
): readonly Lifecycle[] {
  const wanted = given.namespaces === undefined ? undefined : new Set<string>(given.namespaces);
  const replicas = store.replicas.replicas();
  const own = ownNamespaces(replicas);
  return replicas
    .filter((replica) => mayWrite(replica) && wanted?.has(replica.namespace) !== false)
    .map((replica) => ({
      namespace: replica.namespace,
      isShared: !own.has(replica.namespace),
      rules: {
        compactDays: given.compactDays ?? home.config.compactDays,
        archiveDays: given.archiveDays ?? retentionOf(home, replica),
      },
    }));
}

function mayWrite({ status, role }: Replica): boolean {
  return status !== "parked" && role !== "reader";
}

/** What is said of a namespace by id or name, else of all. */
function retentionOf({ config }: Home, { namespace, name }: Replica): number | undefined {
  const rules = config.archiveAfter ?? [];
  const own = rules.find(({ place }) => place === namespace || place === name);
  return (own ?? rules.find(({ place }) => place === undefined))?.days;
}

/** Ages memory where that is switched on, at most once a day (LC6); gives whether it did. */
export function ageDaily(home: Home, memory: Memory): boolean {
  if (!canScrub(home) || !home.config.lifecycle) return false;
  const { upkeep } = memory.store;
  const nowMs = systemClock.nowMs();
  const done = attempt(() => {
    const ranAtMs = Number(upkeep.meta(ranName) ?? 0);
    if (nowMs - ranAtMs < dayMs && nowMs >= ranAtMs) return false;
    upkeep.setMeta(ranName, String(nowMs));
    for (const lifecycle of lifecyclesOf(home, memory)) {
      const due = throughAll(dueLifecycle(memory, lifecycle));
      const told = throughAll(runLifecycle(memory, due));
      if (told.digests + told.archived > 0) {
        home.log.info("memory-aged", { namespace: lifecycle.namespace, ...told });
      }
    }
    return true;
  });
  if (!done.ok) home.log.warn("memory-not-aged", { kind: done.error.kind });
  return done.ok && done.value;
}
