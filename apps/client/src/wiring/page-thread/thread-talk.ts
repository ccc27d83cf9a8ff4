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

/** How an answer begins: it is judged by this, as the process's own is, however long its body takes. */
export interface PageHead {
  readonly status: number;
  readonly headers: ReadonlyMap<string, string>;
  /** Whether it is a good one, whose body is read as lines. */
  readonly hasLines: boolean;
}

/** What a body that was read to its end came to: that of a good answer, and that of another. */
export type PageBody =
  | { readonly kind: "lines"; readonly lines: Answer<PageColumns> }
  | { readonly kind: "text"; readonly text: string };

/** What the thread says. */
export type FromThread =
  /** It has started; before that it is asked nothing. */
  | { readonly kind: "ready" }
  /** An answer has begun. */
  | { readonly kind: "head"; readonly id: number; readonly head: PageHead }
  /** Something of the answer came. */
  | { readonly kind: "heard"; readonly id: number }
  /** The answer has ended. */
  | { readonly kind: "body"; readonly id: number; readonly body: PageBody }
  /** No answer came; `code` is what Node.js calls the cause. */
  | { readonly kind: "none"; readonly id: number; readonly code: unknown };
