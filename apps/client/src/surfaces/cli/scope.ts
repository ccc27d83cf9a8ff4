import { fail, localNamespace, ok, type NamespaceId, type Result } from "@tidemark/protocol";
import { knownAuthor } from "../../recall/author.ts";
import { recallNamespaces } from "../../recall/scope.ts";
import type { ObservationFilter } from "../../store/local-store.ts";
import type { Reads } from "../../store/store.ts";
import type { Replica } from "../../store/replica-store.ts";
import type { Home } from "../../wiring/home.ts";
import type { Memory } from "../../wiring/memory.ts";
import type { Call, OptionSpec } from "./command.ts";
import type { CliDeps } from "./deps.ts";
import { sinceOf } from "./since.ts";
import { misuse, trouble, type Trouble } from "./trouble.ts";

/** The replica that a person names by id or name. */
export function findNamespace(memory: Memory, idOrName: string): Result<Replica, Trouble> {
  const replicas = memory.store.replicas.replicas();
  const byId = replicas.find(({ namespace }) => namespace === idOrName);
  if (byId !== undefined) return ok(byId);
  const named = matchName(replicas, idOrName);
  const [only, second] = named;
  if (only !== undefined && second === undefined) return ok(only);
  if (only === undefined && idOrName === "personal") {
    const personal = memory.store.replicas.replica(memory.store.bindings.personal());
    if (personal !== undefined) return ok(personal);
  }
  if (only === undefined) {
    return fail(
      trouble({
        code: "unknown-namespace",
        message: `there is no namespace ${idOrName} on this device`,
        hint: "`tidemark namespace list` shows them; `tidemark sync` fetches new ones",
      }),
    );
  }
  return fail(
    trouble({
      code: "ambiguous-namespace",
      message: `${named.length} namespaces are called ${idOrName}`,
      hint: `name it by its id: ${named.map(({ namespace }) => namespace).join(", ")}`,
    }),
  );
}

function matchName(replicas: readonly Replica[], name: string): readonly Replica[] {
  const exact = replicas.filter((replica) => replica.name === name);
  if (exact.length > 0) return exact;
  const lower = name.toLowerCase();
  return replicas.filter((replica) => replica.name.toLowerCase() === lower);
}

/** Option of verbs that take an id: what was taken along stands under one id in two namespaces (NS8). */
export const placeOption: OptionSpec = {
  flags: "-n, --namespace <name>",
  help: "the one in this namespace (name or id), where an id stands in several",
};

/** Memory in which an id means what it means in the namespace that a call names; without one, anywhere (CL80). */
export function memoryAt(deps: Pick<CliDeps, "memory">, call: Call): Result<Memory, Trouble> {
  const memory = deps.memory();
  const named = call.text("namespace");
  if (named === undefined) return ok(memory);
  const place = findNamespace(memory, named);
  if (!place.ok) return place;
  const namespaces = [place.value.namespace];
  const { store } = memory;
  const find: Reads["find"] = (id, options) => store.reads.find(id, { ...options, namespaces });
  return ok({ ...memory, store: { ...store, reads: { ...store.reads, find } } });
}

/** Where a new observation goes: what is named, else the project's binding, else the setting. */
export function namespaceForSave(
  { memory, home }: { readonly memory: Memory; readonly home: Home },
  call: Call,
): Result<NamespaceId, Trouble> {
  const named = call.text("namespace");
  if (call.isOn("local")) {
    if (named === undefined) return ok(localNamespace);
    return fail(misuse("--local and --namespace exclude each other", "give one of the two"));
  }
  const project = home.projectAt();
  const isBound = memory.store.bindings.all().some((binding) => binding.project === project);
  const wanted = named ?? (isBound ? undefined : home.config.defaultNamespace);
  if (wanted === undefined) return ok(memory.store.bindings.namespaceOf(project));
  const found = findNamespace(memory, wanted);
  return found.ok ? ok(found.value.namespace) : found;
}

/** Options that `list` and `search` share. */
export const scopeOptions: readonly OptionSpec[] = [
  {
    flags: "-n, --namespace <name>",
    help: "in this namespace alone (name or id)",
    isRepeatable: true,
  },
  { flags: "-p, --project <project>", help: "of this project; `.` is the one of this folder" },
  { flags: "-k, --kind <kind>", help: "of this kind", isRepeatable: true },
  {
    flags: "-f, --file <path>",
    help: "that read or changed this file; a part of its path will do",
  },
  {
    flags: "--author <name>",
    help: "written by this person or device; `me` is yourself",
  },
  { flags: "--since <when>", help: "not older than 12h, 3d, or a date such as 2026-11-20" },
  { flags: "--limit <n>", help: "at most so many", isCount: true },
  { flags: "-a, --all", help: "every namespace, archived and superseded ones too, no limit" },
];

/** What {@link scopeOptions} mean, for `--help`. */
export const scopeNotes =
  "Without --namespace, every namespace that you are a member of and `local` are looked at, whatever\n" +
  "the project; archived and superseded observations are left out. --all adds those, and namespaces\n" +
  "that you have left, and lifts the limit.";

/** The filter that a call's options ask for. */
export function filterOf(
  { memory, home, nowMs }: { readonly memory: Memory; readonly home: Home; readonly nowMs: number },
  call: Call,
  limitDefault: number,
): Result<ObservationFilter, Trouble> {
  const isAll = call.isOn("all");
  const namespaces: NamespaceId[] = [];
  for (const name of call.texts("namespace")) {
    const found = findNamespace(memory, name);
    if (!found.ok) return found;
    namespaces.push(found.value.namespace);
  }
  const named = namespaces.length > 0 ? namespaces : undefined;
  const every = isAll ? undefined : recallNamespaces(memory.store.replicas.replicas());
  const kinds = call.texts("kind");
  const author = knownAuthor(memory.store.reads, call.text("author"));
  if (!author.ok) return fail(trouble(author.error));
  const since = sinceOf(call.text("since") ?? "always", nowMs);
  if (!since.ok) return since;
  return ok({
    namespaces: named ?? every,
    project: projectOf(home, call.text("project")),
    kinds: kinds.length > 0 ? kinds : undefined,
    file: call.text("file"),
    author: author.value,
    sinceMs: since.value,
    includeHidden: isAll,
    limit: call.count("limit") ?? (isAll ? undefined : limitDefault),
  });
}

/** A project as a person names it: a folder, or the identity as `--json` prints it. */
export function projectOf(home: Home, text: string | undefined): string | undefined {
  if (text === undefined) return undefined;
  if (/^(?:git|name|path):/u.test(text)) return text;
  return /^\.{1,2}(?:\/|$)|^\//u.test(text) ? home.projectAt(text) : `git:${text}`;
}
