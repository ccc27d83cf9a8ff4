import { collections, isAtLeast, oldestRegister } from "@tidemark/protocol";
import type { StoreContext } from "../context.ts";
import { readReplica } from "../records/replicas.ts";
import { isLiveView, viewOf } from "../view/view.ts";
import { createAuthors } from "./authors.ts";

/**
 * Whether the server would let this device's person forget a record (NS19): its author, admins and
 * owners; conflicts every writer. True where this device cannot know, so that the server decides.
 *
 * A reader may change nothing at all; that is refused for every change alike.
 */
export function mayForget(context: StoreContext, namespace: string, id: string): boolean {
  const replica = readReplica(context, namespace);
  const role = replica?.role ?? undefined;
  if (replica?.kind !== "team" || role === undefined) return true;
  if (isAtLeast(role, "admin") || !isAtLeast(role, "writer")) return true;
  const view = viewOf(context, namespace, id);
  if (!isLiveView(view) || view.state.collection === collections.conflict) return true;
  const authors = createAuthors(context);
  // The oldest register may be forged under an older clock; the time of making is nobody's to edit.
  const { registers } = view.state;
  const made = [oldestRegister(registers), registers["createdAt"]];
  return made.some(
    (register) =>
      register !== undefined && authors.whose(namespace, register.clock.writer) !== "other",
  );
}
