import type { NamespaceId } from "@tidemark/protocol";
import type { CliDeps } from "./deps.ts";
import type { Names } from "./render/observation.ts";

/** What this device calls its namespaces, and its person. */
export function namesOf(deps: CliDeps): Names {
  const replicas = deps.memory().store.replicas.replicas();
  const nameById = new Map<NamespaceId, string>(
    replicas.map(({ namespace, name }) => [namespace, name]),
  );
  const shared = new Set(
    replicas.map(({ name }) => name).filter((name, index, all) => all.indexOf(name) !== index),
  );
  return {
    namespace: (id) => {
      const name = nameById.get(id);
      if (name === undefined) return id;
      return shared.has(name) ? `${name} ${id}` : name;
    },
    self: deps.home().identity()?.user.name,
  };
}

/** What lists of observations are drawn with. */
export function timesAndNames(deps: CliDeps): { readonly nowMs: number; readonly names: Names } {
  return { nowMs: deps.clock.nowMs(), names: namesOf(deps) };
}
