import type { ValueError } from "@tidemark/protocol";
import type { ChangeError } from "../store/local-store.ts";
import type { FindError } from "../store/store.ts";
import { editableFields, type EditError } from "./edit.ts";
import type { ForgetError } from "./forget.ts";
import type { HandoffError } from "./handoff.ts";
import type { ResolveError } from "./resolve.ts";
import type { SaveError } from "./save.ts";
import type { SupersedeError } from "./supersede.ts";

/** Any expected failure of a verb of memory. */
export type MemoryError =
  | FindError
  | ChangeError
  | ValueError
  | EditError
  | SaveError
  | SupersedeError
  | ForgetError
  | HandoffError
  | ResolveError;

/** An expected failure in words: what is wrong, and what to do next. */
export interface Explanation {
  readonly code: string;
  readonly message: string;
  readonly hint: string;
}

type Explain = {
  readonly [Kind in MemoryError["kind"]]: (
    error: Extract<MemoryError, { readonly kind: Kind }>,
  ) => Omit<Explanation, "code">;
};

const findHint = "`tidemark list` and `tidemark search` show ids";
const otherNamespaceHint =
  "save to another namespace: `--namespace NAME`, or `--local` to keep it on this device";

const words: Explain = {
  "unknown-record": ({ id }) => ({ message: `there is no record ${id}`, hint: findHint }),
  forgotten: ({ id }) => ({
    message: `the record ${id} was forgotten`,
    hint: "forgetting is for ever; save it anew if it is wanted again",
  }),
  ambiguous: ambiguousWords,
  "too-short": ({ charsMin }) => ({
    message: `an id's beginning needs at least ${charsMin} characters`,
    hint: findHint,
  }),
  "read-only": ({ namespace, id }) => ({
    message: `your role in the namespace ${namespace} is reader`,
    hint:
      id === undefined
        ? `${otherNamespaceHint}; or ask an admin for the role of a writer`
        : `ask an admin for the role of a writer; who they are: \`tidemark namespace members ${namespace}\``,
  }),
  parked: ({ namespace, id }) => ({
    message: `you are no longer a member of the namespace ${namespace}`,
    hint:
      id === undefined
        ? `${otherNamespaceHint}; \`tidemark export --namespace ${namespace}\` keeps what it holds`
        : `what it holds stays here as it is until you are invited again; to go on with it elsewhere: \`tidemark export --namespace ${namespace} --output FILE\`, \`tidemark import FILE --namespace personal\``,
  }),
  closed: ({ namespace }) => ({
    message: `it, or what was written over it, is sealed under a key of the namespace ${namespace} that is not here`,
    hint: "`tidemark status` tells which one is missing; what the server had not refused goes by itself once that is back, and the rest with the next `tidemark outbox retry`",
  }),
  "unknown-namespace": ({ namespace }) => ({
    message: `there is no namespace ${namespace} on this device`,
    hint: "`tidemark namespace list` shows them; `tidemark sync` fetches new ones",
  }),
  immutable: ({ id }) => ({
    message: `the record ${id} is a conflict and cannot be changed`,
    hint: `resolve it: \`tidemark resolve ${id} --keep current\` or \`--keep losing\``,
  }),
  "not-an-observation": ({ id, collection }) => ({
    message: `the record ${id} is a ${collection}, and this is for observations`,
    hint: `\`tidemark show ${id}\` shows what it holds`,
  }),
  "collection-mismatch": ({ id }) => ({
    message: `the record ${id} is of another kind`,
    hint: `\`tidemark show ${id}\` shows what it is`,
  }),
  "below-a-child": ({ id }) => ({
    message: `the record ${id} would come to stand two below another`,
    hint: "save it below the upper one, or below none",
  }),
  "invalid-value": ({ field, why }) => ({
    message: `the field ${field} cannot hold this: ${why}`,
    hint: "change the value and try again",
  }),
  "too-large": ({ bytes, bytesMax }) => ({
    message: `the change takes ${bytes} bytes, at most ${bytesMax} fit`,
    hint: "shorten it, or split it into several observations",
  }),
  "too-deep": () => ({ message: "the value is nested too deep", hint: "make it flatter" }),
  "bad-number": () => ({
    message: "the value holds a number that no computer keeps exactly",
    hint: "write the number as text",
  }),
  "bad-key": () => ({
    message: "the value holds a key that is not allowed",
    hint: "rename the key",
  }),
  "not-json": () => ({ message: "the value is not JSON", hint: "change the value and try again" }),
  "not-an-assignment": () => ({
    message: "this is no assignment of a field",
    hint: 'write `--set field=value`, such as `--set title="A better title"`',
  }),
  "fixed-field": ({ field }) => ({
    message: `the field ${field} says what an observation is or where it comes from and is never edited`,
    hint: `edit ${editableFields.join(", ")}`,
  }),
  "unknown-field": ({ field, meant }) => ({
    message: `an observation has no field ${field} that can be edited`,
    hint:
      meant === undefined
        ? `fields are ${editableFields.join(", ")}`
        : `did you mean ${meant}? Fields are ${editableFields.join(", ")}`,
  }),
  "bad-value": ({ field, expected }) => ({
    message: `the field ${field} wants ${expected}`,
    hint: "change the value and try again",
  }),
  "too-long": ({ field, max, unit }) => ({
    message: `${field} is longer than ${max} ${unit}`,
    hint: "shorten it, or split it into several observations",
  }),
  "no-task": () => ({
    message: "no session of this project has asked for anything yet",
    hint: 'tidemark handoff --task "What is to be done" --next "The next step"',
  }),
  "no-title": () => ({
    message: "an observation needs a title",
    hint: 'give one: `tidemark save --title "What was learned"`',
  }),
  "same-record": ({ id }) => ({
    message: `${id} cannot supersede itself`,
    hint: "give the old id, then the new one",
  }),
  "superseded-by-it": ({ id }) => ({
    message: `${id} is itself superseded by the observation that it should supersede`,
    hint: "save a new observation and let it supersede both",
  }),
  "other-namespace": ({ id }) => ({
    message: `${id} is in another namespace than the one it should supersede`,
    hint: "save the new observation in the same namespace",
  }),
  "not-author": ({ id, namespace }) => ({
    message: `the record ${id} is somebody else's, and your role in ${namespace} is writer`,
    hint: `its author or an admin may forget it; \`tidemark archive ${id}\` hides it`,
  }),
  "changed-since": ({ id }) => ({
    message: `the value that stands beside ${id} has changed since it was shown, so nothing was settled`,
    hint: "look at both values again, then choose",
  }),
  "not-a-conflict": ({ id }) => ({
    message: `the record ${id} is no conflict`,
    hint: "`tidemark conflicts` lists them",
  }),
};

/** Of one record that stands in several namespaces no more of its id helps (CL80). */
function ambiguousWords({
  id,
  ids,
}: Extract<MemoryError, { readonly kind: "ambiguous" }>): Omit<Explanation, "code"> {
  const [only = id, ...more] = new Set(ids.map((each) => each.id));
  if (more.length > 0) {
    return {
      message: `${id} is the beginning of ${more.length + 1} ids`,
      hint: `give more of it: ${[only, ...more].slice(0, 3).join(", ")}`,
    };
  }
  const places = ids.map(({ namespace }) => `--namespace ${namespace}`);
  return {
    message: `the record ${only} stands in ${ids.length} namespaces`,
    hint: `say which one is meant: ${places.slice(0, 3).join(", or ")}`,
  };
}

/** What an expected failure means to a person or an agent. */
export function explain(error: MemoryError): Explanation {
  const explainKind = words[error.kind] as (error: MemoryError) => Omit<Explanation, "code">;
  return { code: error.kind, ...explainKind(error) };
}
