/** What the client and the thread that reads its pages say to each other. */
import type { PageColumns } from "../../store/prepared/page-columns.ts";
import type { Answer } from "../../sync/transport.ts";

/** A page to ask for. */
export interface PageAsk {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Media type of a good answer. */
  readonly type: string;
  /** How large a good answer may be, in bytes. */
  readonly bytesMax: number;
}

/** What the client says; `id` names the request. */
export type ToThread =
  | { readonly kind: "ask"; readonly id: number; readonly ask: PageAsk }
  | { readonly kind: "give-up"; readonly id: number };

/** An answer that was read to its end. */
export interface PageReply {
  readonly status: number;
  readonly headers: ReadonlyMap<string, string>;
  /** What the body of a good answer came to. */
  readonly lines: Answer<PageColumns> | undefined;
  /** The body of another answer. */
  readonly body: string;
}

/** What the thread says. */
export type FromThread =
  /** It has started; before that it is asked nothing. */
  | { readonly kind: "ready" }
  /** Something of the answer came. */
  | { readonly kind: "heard"; readonly id: number }
  | { readonly kind: "answered"; readonly id: number; readonly reply: PageReply }
  /** No answer came. */
  | { readonly kind: "none"; readonly id: number };
