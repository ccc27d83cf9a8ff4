import type { JsonValue } from "./finding.ts";

declare const scrubbed: unique symbol;

/** Text that has been through a scrubber; only `./scrubbed-text` makes it. */
export type ScrubbedText = string & { readonly [scrubbed]: "text" };

/** A JSON value whose keys and leaves have been through a scrubber. */
export type ScrubbedJson = JsonValue & { readonly [scrubbed]: "json" };
