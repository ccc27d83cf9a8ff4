import type { Child } from "hono/jsx";
import type { Context } from "hono";
import type { AppEnv } from "../http/app-env.ts";
import type { Parts } from "../http/parts.ts";
import type { ConsoleSession } from "../store/console-port.ts";
import type { Place } from "./place.ts";

/** A request of a browser that passed the checks of its page. */
export interface Visit {
  readonly c: Context<AppEnv>;
  readonly parts: Parts;
  readonly place: Place;
  /** The fields of a form; empty for a page. */
  readonly form: URLSearchParams;
  readonly nowMs: number;
  /** The prefix of the network that it came from, for the audit. */
  readonly network: string | undefined;
}

/** A visit of somebody who is signed in. */
export interface OwnVisit extends Visit {
  readonly session: ConsoleSession;
  /** What every form of this session carries (CO3). */
  readonly csrf: string;
}

/** What a page answers: something to read, a way to go on, or a ready response. */
export type PageAnswer =
  | {
      readonly kind: "page";
      readonly title: string;
      readonly body: Child;
      readonly status?: 200 | 400 | 401 | 403 | 404 | 409 | 429 | 503;
      /** What the page is about in one line, where the title is not enough. */
      readonly lede?: string | undefined;
    }
  | { readonly kind: "go"; readonly to: string }
  | { readonly kind: "ready"; readonly response: Response };

/** Something to read. */
export function read(
  title: string,
  body: Child,
  more: Pick<PageAnswer & { kind: "page" }, "status" | "lede"> = {},
): PageAnswer {
  return { kind: "page", title, body, ...more };
}

/** On to another page, after a form was taken. */
export function go(to: string): PageAnswer {
  return { kind: "go", to };
}
