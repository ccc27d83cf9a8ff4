import type { Finding, Hint, JsonValue } from "./finding.ts";
import { isSecretValue } from "./judge.ts";
import { jsonDepthMax } from "./limits.ts";
import { readSecretName } from "./secret-name.ts";
import { isUnmistakable } from "./strength.ts";
import { isOpenKey, isSessionCookie, nameBySiblings } from "./sibling-names.ts";

interface TreeDeps {
  readonly scrub: (
    text: string,
    hint?: Hint,
  ) => { readonly text: string; readonly findings: readonly Finding[] };
  readonly stub: (text: string) => { readonly text: string; readonly finding: Finding };
  /** Numbers may be personal under any name, and are looked at as texts. */
  readonly readsNumbers: boolean;
}

interface Task {
  readonly value: JsonValue;
  readonly name: string | undefined;
  readonly parent: Task | undefined;
  /** Index or scrubbed key in the parent. */
  readonly step: string | number;
  readonly depth: number;
  readonly put: (value: JsonValue) => void;
}

interface Walk {
  readonly deps: TreeDeps;
  readonly hint: Hint;
  readonly findings: Finding[];
  readonly tasks: Task[];
  readonly keys: Map<string, string>;
}

/**
 * Scrubs every leaf and key of a JSON value, with the key (or the `name` beside a `value`, or the
 * flag before an argument) as context. Walks with a list of its own, so that depth cannot
 * overflow the stack; what lies deeper than {@link jsonDepthMax} is withheld (SC5).
 */
export function scrubTree(
  deps: TreeDeps,
  root: JsonValue,
  hint: Hint,
): { value: JsonValue; findings: readonly Finding[] } {
  let value: JsonValue = null;
  const put = (scrubbed: JsonValue): void => {
    value = scrubbed;
  };
  const first: Task = { value: root, name: hint.name, parent: undefined, step: "", depth: 0, put };
  const walk: Walk = { deps, hint, findings: [], tasks: [first], keys: new Map() };
  for (let task = walk.tasks.pop(); task !== undefined; task = walk.tasks.pop()) visit(walk, task);
  return { value, findings: walk.findings };
}

function visit(walk: Walk, task: Task): void {
  const { value } = task;
  if (typeof value === "string") return task.put(scrubLeaf(walk, task, value));
  if (typeof value === "number") return task.put(scrubNumber(walk, task, value));
  if (value === null || typeof value !== "object") return task.put(value);
  if (task.depth >= jsonDepthMax) return task.put(withhold(walk, task));
  return isList(value) ? visitList(walk, task, value) : visitObject(walk, task, value);
}

function isList(value: JsonValue): value is readonly JsonValue[] {
  return Array.isArray(value);
}

function visitList(walk: Walk, task: Task, list: readonly JsonValue[]): void {
  const out: JsonValue[] = list.map(() => null);
  task.put(out);
  for (let index = list.length - 1; index >= 0; index--) {
    walk.tasks.push({
      value: list[index] as JsonValue,
      name: flagName(list[index - 1]) ?? task.name,
      parent: task,
      step: index,
      depth: task.depth + 1,
      put: (value) => {
        out[index] = value;
      },
    });
  }
}

function visitObject(walk: Walk, task: Task, object: { readonly [key: string]: JsonValue }): void {
  const out: Record<string, JsonValue> = {};
  task.put(out);
  const pairName = nameOfPair(object);
  const at = (key: string): string | undefined => textOf(object[key]);
  const tasks = Object.entries(object).map(([key, value]): Task => {
    const scrubbed = scrubKey(walk, key, task);
    define(out, scrubbed, null);
    return {
      value,
      name:
        nameBySurroundings(task, key, value) ??
        (typeof value === "string" ? nameBySiblings(key, value, at) : undefined) ??
        nameUnder(task.name, key, pairName),
      parent: task,
      step: scrubbed,
      depth: task.depth + 1,
      put: (leaf) => define(out, scrubbed, leaf),
    };
  });
  for (let index = tasks.length - 1; index >= 0; index--) walk.tasks.push(tasks[index] as Task);
}

function textOf(value: JsonValue | undefined): string | undefined {
  return typeof value === "string" ? value : value === true ? "true" : undefined;
}

/** Objects above one that are looked at for what they say of it. */
const aboveMax = 4;

/** The name of a cookie in a list, of what a cluster's secret holds, of what Terraform has drawn. */
function nameBySurroundings(task: Task, key: string, value: JsonValue): string | undefined {
  if (typeof value !== "string") return undefined;
  if (key === "result") return isDrawn(task) ? "password" : undefined;
  if (task.step === "data" || task.step === "stringData") {
    const isHeld = memberOf(task.parent, "kind") === "Secret" && !isOpenKey(key);
    return isHeld ? "secret" : undefined;
  }
  if (key === "value" && task.parent?.step === "cookies") return cookieName(task);
  return isOneOfSeveral(task, value) ? "password" : undefined;
}

/** `{"passwords": {"ada": X}}`. */
function isOneOfSeveral({ step }: Task, value: string): boolean {
  return String(step).toLowerCase().endsWith("passwords") && isUnmistakable(value);
}

function cookieName(task: Task): string | undefined {
  const name = memberOf(task, "name");
  return typeof name === "string" && isSessionCookie(name) ? "session_token" : undefined;
}

function memberOf(task: Task | undefined, key: string): JsonValue | undefined {
  return isObject(task?.value) ? task.value[key] : undefined;
}

function isDrawn(task: Task): boolean {
  let at: Task | undefined = task;
  for (let count = 0; at !== undefined && count < aboveMax; count++, at = at.parent) {
    if (memberOf(at, "type") === "random_password") return true;
  }
  return false;
}

function isObject(value: JsonValue | undefined): value is { readonly [key: string]: JsonValue } {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** A bare `value` or `key` says nothing of itself: what it is in does (`"jwt": {"key": …}`). */
function nameUnder(parent: string | undefined, key: string, pairName: string | undefined): string {
  const folded = key.length <= 5 ? key.toLowerCase() : "";
  if (folded === "value" || key === "defaultValue") return pairName ?? parent ?? key;
  return folded === "key" && parent !== undefined ? `${parent}_key` : key;
}

/** Sets a key as data, even one that means something to an object (`__proto__`). */
function define(object: Record<string, JsonValue>, key: string, value: JsonValue): void {
  if (key !== "__proto__") object[key] = value;
  else {
    const own = { value, enumerable: true, configurable: true, writable: true };
    Object.defineProperty(object, key, own);
  }
}

function scrubLeaf(walk: Walk, task: Task, text: string): string {
  const hint = task.name === undefined ? walk.hint : { ...walk.hint, name: task.name };
  const { text: scrubbed, findings } = walk.deps.scrub(text, hint);
  note(walk, task, findings);
  return scrubbed;
}

function scrubNumber(walk: Walk, task: Task, value: number): JsonValue {
  if (walk.deps.readsNumbers) {
    const text = scrubLeaf(walk, task, String(value));
    return text === String(value) ? value : text;
  }
  const promise = task.name === undefined ? undefined : readSecretName(task.name);
  if (promise === undefined) return value;
  const written = String(value);
  if (!isSecretValue(written, promise, { isQuoted: false, isLiteral: false })) return value;
  const text = scrubLeaf(walk, task, written);
  return text === written ? value : text;
}

function scrubKey(walk: Walk, key: string, holder: Task): string {
  const known = walk.keys.get(key);
  if (known !== undefined) return known;
  const { text, findings } = walk.deps.scrub(key, {});
  note(walk, holder, findings);
  walk.keys.set(key, text);
  return text;
}

function withhold(walk: Walk, task: Task): string {
  const stub = walk.deps.stub("too deep");
  note(walk, task, [{ ...stub.finding, end: 0 }]);
  return stub.text;
}

/** Keeps what was found, with its JSON pointer (RFC 6901): most walks find nothing and need none. */
function note(walk: Walk, task: Task, findings: readonly Finding[]): void {
  if (findings.length === 0) return;
  const path = pointerOf(task);
  for (const finding of findings) walk.findings.push({ ...finding, path });
}

function pointerOf(task: Task): string {
  let pointer = "";
  for (let at = task; at.parent !== undefined; at = at.parent) {
    const step = String(at.step).replaceAll("~", "~0").replaceAll("/", "~1");
    pointer = `/${step}${pointer}`;
  }
  return pointer;
}

function nameOfPair(object: { readonly [key: string]: JsonValue }): string | undefined {
  const name = object["name"] ?? object["Name"] ?? object["key"] ?? object["Key"];
  return typeof name === "string" && name.length <= 64 ? name : undefined;
}

function flagName(before: JsonValue | undefined): string | undefined {
  return typeof before === "string" && /^--[a-z][\w-]{2,40}$/i.test(before)
    ? before.slice(2)
    : undefined;
}
