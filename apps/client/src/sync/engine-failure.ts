import { hintNamed, storeErrorOf } from "../store/store-error.ts";
import type { Failure } from "./transport.ts";

/**
 * What an exception means to a lane: trouble of the machine under the store passes (a lock, a full
 * disk) and is tried again; everything else is a bug, kept at arm's length by a long delay.
 */
export function failureOf(cause: unknown): Failure {
  const storeError = storeErrorOf(cause);
  if (storeError === undefined) {
    return { family: "bug", code: "defect", title: "This program has a defect." };
  }
  const { kind, message } = storeError;
  const code = `${storeCodes}${kind}`;
  return { family: kind === "corrupt" ? "bug" : "retry", code, title: message };
}

const storeCodes = "store-";

/** What a person can do about a failure of the store, by its code; undefined for any other. */
export function storeHintOf(code: string): string | undefined {
  return code.startsWith(storeCodes) ? hintNamed(code.slice(storeCodes.length)) : undefined;
}
