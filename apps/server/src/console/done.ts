import type { Context } from "hono";
import type { AppEnv } from "../http/app-env.ts";

/** What a page says after a form was taken; the address carries a word of this list, never a text. */
const sentences = {
  renamed: "Renamed.",
  revoked: "The device is shut out. Whatever it holds already stays with it.",
  approved: "The device is let in. It goes on by itself within seconds.",
  denied: "The device gets nothing.",
  created: "The namespace is there. Bind a project to it with: tidemark namespace use",
  role: "The role is changed, from the next request on.",
  removed: "They are no member any more.",
  confirmed: "They are a member now.",
  declined: "They were sent away.",
  connected: "Connected. You can sign in by it from now on.",
  disconnected: "Disconnected. It signs nobody in any more, and its sessions have ended.",
  ended: "The link lets nobody in any more.",
} as const;

/** A word of the list. */
export type Done = keyof typeof sentences;

/** The address of a page that says so. */
export function said(path: string, done: Done): string {
  return `${path}?done=${done}`;
}

/** What this page has to say; undefined for nothing. */
export function doneText(c: Context<AppEnv>): string | undefined {
  const word = c.req.query("done") ?? "";
  return Object.hasOwn(sentences, word) ? sentences[word as Done] : undefined;
}
