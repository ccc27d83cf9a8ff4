import { fail, ok, unpairedNamespace, type NamespaceId, type Result } from "@tidemark/protocol";
import type { StoreContext } from "./context.ts";
import { readReplicas, resolveNamespace, resolveReplica } from "./records/replicas.ts";

/** Which namespace a project's captures go to; set on the device, never by a repository. */
export interface Bindings {
  bind(
    project: string,
    namespace: NamespaceId,
  ): Result<void, { readonly kind: "unknown-namespace"; readonly namespace: string }>;
  unbind(project: string): void;
  /** A project's binding, else the default of this device, else the personal namespace (NS18). */
  namespaceOf(project: string | undefined): NamespaceId;
  /** The personal namespace by its present id. */
  personal(): NamespaceId;
  all(): readonly { readonly project: string; readonly namespace: NamespaceId }[];
}

/**
 * The bindings of the store.
 *
 * @param fallback id or name of the namespace of projects that are bound to none; what names no
 *   namespace of this device counts for nothing, as a capture must go somewhere
 */
export function createBindings(context: StoreContext, fallback?: string): Bindings {
  const { db } = context;
  const personal = (): NamespaceId => resolveNamespace(context, unpairedNamespace);
  return {
    bind: (project, name) => {
      const replica = resolveReplica(context, name);
      if (replica === undefined) return fail({ kind: "unknown-namespace", namespace: name });
      const sql = "INSERT OR REPLACE INTO bindings (project, namespace) VALUES (?, ?)";
      db.transact(() => {
        db.run(sql, project, replica.namespace);
      });
      return ok(undefined);
    },
    unbind: (project) => {
      db.transact(() => {
        db.run("DELETE FROM bindings WHERE project = ?", project);
      });
    },
    namespaceOf: (project) => {
      const row = db.get<{ namespace: NamespaceId }>(
        "SELECT namespace FROM bindings WHERE project = ?",
        project ?? "",
      );
      return row?.namespace ?? namedNamespace(context, fallback) ?? personal();
    },
    personal,
    all: () => db.all("SELECT project, namespace FROM bindings ORDER BY project"),
  };
}

function namedNamespace(context: StoreContext, name: string | undefined): NamespaceId | undefined {
  if (name === undefined) return undefined;
  const open = readReplicas(context).filter(({ status }) => status !== "parked");
  const byId = open.find(({ namespace }) => namespace === name);
  const named = open.filter((row) => row.name.toLowerCase() === name.toLowerCase());
  const found = byId ?? (named.length === 1 ? named[0] : undefined);
  return found?.namespace as NamespaceId | undefined;
}
