import { fail, ok, unpairedNamespace, type NamespaceId, type Result } from "@tidemark/protocol";
import type { StoreContext } from "./context.ts";
import { resolveNamespace, resolveReplica } from "./records/replicas.ts";

/** Which namespace a project's captures go to; set on the device, never by a repository. */
export interface Bindings {
  bind(
    project: string,
    namespace: NamespaceId,
  ): Result<void, { readonly kind: "unknown-namespace"; readonly namespace: string }>;
  unbind(project: string): void;
  /** A project's binding, else the personal namespace. */
  namespaceOf(project: string | undefined): NamespaceId;
  /** The personal namespace by its present id. */
  personal(): NamespaceId;
  all(): readonly { readonly project: string; readonly namespace: NamespaceId }[];
}

/** The bindings of the store. */
export function createBindings(context: StoreContext): Bindings {
  const { db } = context;
  const personal = (): NamespaceId => resolveNamespace(context, unpairedNamespace);
  return {
    bind: (project, name) => {
      const replica = resolveReplica(context, name);
      if (replica === undefined) return fail({ kind: "unknown-namespace", namespace: name });
      db.run(
        "INSERT OR REPLACE INTO bindings (project, namespace) VALUES (?, ?)",
        project,
        replica.namespace,
      );
      return ok(undefined);
    },
    unbind: (project) => {
      db.run("DELETE FROM bindings WHERE project = ?", project);
    },
    namespaceOf: (project) => {
      const row = db.get<{ namespace: NamespaceId }>(
        "SELECT namespace FROM bindings WHERE project = ?",
        project ?? "",
      );
      return row?.namespace ?? personal();
    },
    personal,
    all: () => db.all("SELECT project, namespace FROM bindings ORDER BY project"),
  };
}
