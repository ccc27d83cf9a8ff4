import { parse, printParseErrorCode, type ParseError } from "jsonc-parser";
import { canonicalJson, fail, isObject, ok, type JsonValue, type Result } from "@tidemark/protocol";
import type { EditError } from "./edit-error.ts";
import { withAppended, without, withValue, type JsonPath } from "./json-splice.ts";

/** One step of an edit. */
export type JsonStep =
  /** Sets a member, or takes it out where there is no value. */
  | { readonly kind: "set"; readonly path: JsonPath; readonly value: JsonValue | undefined }
  /** Puts a value behind the last one of an array, which is made where there is none. */
  | { readonly kind: "append"; readonly path: JsonPath; readonly value: JsonValue };

/** What is to be done to a document as it is. */
export type JsonEdit = (root: JsonValue) => Result<readonly JsonStep[], EditError>;

/**
 * Edits the text of a JSON settings file and leaves all else as it stands: order, spacing, comments,
 * which some agents allow, and trailing commas. A file that is no JSON is refused.
 */
export function editJson(text: string, edit: JsonEdit): Result<string, EditError> {
  const mark = text.startsWith("\uFEFF") ? "\uFEFF" : "";
  const begun = text.trim() === "" ? "{}\n" : text.slice(mark.length);
  const root = parseJson(begun);
  if (!root.ok) return root;
  if (!isObject(root.value)) return fail({ message: "it holds no JSON object", hint: mendIt });
  const steps = edit(root.value);
  if (!steps.ok) return steps;
  if (steps.value.length === 0) return ok(text);
  const edited = steps.value.reduce((now, step) => taken(now, step), begun);
  // A parser that is this forgiving may have understood the file otherwise than its owner does.
  const result = parseJson(edited);
  return result.ok ? ok(mark + edited) : result;
}

/** The value of a member, whatever is there. */
export function valueAt(root: JsonValue, path: JsonPath): JsonValue | undefined {
  return path.reduce<JsonValue | undefined>((value, key) => {
    if (Array.isArray(value))
      return typeof key === "number" ? (value as JsonValue[])[key] : undefined;
    if (!isObject(value ?? null) || !Object.hasOwn(value as object, key)) return undefined;
    return (value as { readonly [name: string]: JsonValue })[key];
  }, root);
}

/** Whether two values are the same, in whatever order their members stand. */
export function isSame(left: JsonValue | undefined, right: JsonValue | undefined): boolean {
  if (left === undefined || right === undefined) return left === right;
  return canonicalJson(left) === canonicalJson(right);
}

const mendIt = "mend it by hand, then run this again";

function parseJson(text: string): Result<JsonValue, EditError> {
  const errors: ParseError[] = [];
  const options = { allowTrailingComma: true, disallowComments: false, allowEmptyContent: false };
  const value = parse(text, errors, options) as JsonValue;
  const [first] = errors;
  if (first === undefined) return ok(value);
  const line = text.slice(0, first.offset).split("\n").length;
  return fail({
    message: `it is no JSON: ${printParseErrorCode(first.error)} in line ${line}`,
    hint: mendIt,
  });
}

function taken(text: string, { kind, path, value }: JsonStep): string {
  if (kind === "append") return withAppended(text, path, value);
  return value === undefined ? without(text, path) : withValue(text, path, value);
}
