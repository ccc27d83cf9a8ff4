import type { NamespaceId } from "@tidemark/protocol";
import { placeholderStart } from "@tidemark/scrubber";
import type { CaptureDeps } from "./deps.ts";

/** Whether something was scrubbed of a name or path. */
export function isScrubbed(text: string): boolean {
  return text.includes(placeholderStart);
}

/**
 * The namespace to which a project is bound whose name is scrubbed (CP91). Bindings are looked through
 * once: one that was made before what is scrubbed of the name was named has it as it is.
 */
export function namespacesOfScrubbed({
  store,
  scrub,
}: Pick<CaptureDeps, "store" | "scrub">): (project: string) => NamespaceId {
  let known: ReadonlyMap<string, string> | undefined;
  const read = (): ReadonlyMap<string, string> => {
    const names = store.bindings.all().map(({ project }) => project);
    const asScrubbed = names.map((name) => [scrub.text(name), name] as const);
    // What was bound under the scrubbed name was bound since, and stands.
    return new Map([...asScrubbed, ...names.map((name) => [name, name] as const)]);
  };
  const boundAs = (project: string): string => (known ??= read()).get(project) ?? project;
  return (project) => store.bindings.namespaceOf(isScrubbed(project) ? boundAs(project) : project);
}
