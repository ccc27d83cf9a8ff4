import type { NamespaceId, WriterId } from "@tidemark/protocol";
import type { StoreContext } from "../context.ts";
import type { Author } from "../local-store.ts";
import { createAuthors } from "./authors.ts";

/** What stands for this device's own person where an author is named. */
const oneself = "me";

/**
 * Whether the author of an observation is among writers: the writer of its oldest clock, and of what
 * waits to be sent alone its first op's. Binds a list of {@link writersNamed}.
 */
export const writtenBySql: string = `o.namespace || ' ' || coalesce(
  (SELECT r.writer FROM records AS r WHERE r.namespace = o.namespace AND r.id = o.record),
  (SELECT w.writer FROM outbox AS w WHERE w.namespace = o.namespace AND w.record = o.record
   ORDER BY w.lamport LIMIT 1)) IN (SELECT value FROM json_each(?))`;

/**
 * The writers, each after its namespace, of a person or a device of that name, whatever its case
 * (RC27); `me` is this device's person.
 */
export function writersNamed(context: StoreContext, name: string): readonly string[] {
  const wanted = folded(name);
  return allWriters(context)
    .filter(({ author, isOwn }) => {
      if (wanted === oneself) return isOwn;
      return [author.user, author.device].some((each) => each !== null && folded(each) === wanted);
    })
    .map(({ namespace, writer }) => `${namespace} ${writer}`);
}

/** Whether somebody of that name can be asked for. */
export function isAuthor(context: StoreContext, name: string): boolean {
  return folded(name) === oneself || writersNamed(context, name).length > 0;
}

/** Everyone who has written here, by name, as far as this device was told. */
export function authorsKnown(context: StoreContext): readonly Author[] {
  const known = new Map<string, Author>();
  for (const { author } of allWriters(context)) {
    if (author.user ?? author.device) known.set(JSON.stringify(author), author);
  }
  return [...known.entries()].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, author]) => author);
}

interface Written {
  readonly namespace: NamespaceId;
  readonly writer: WriterId;
  readonly author: Author;
  readonly isOwn: boolean;
}

function allWriters(context: StoreContext): readonly Written[] {
  const authors = createAuthors(context);
  return context.db
    .all<Pick<Written, "namespace" | "writer">>("SELECT namespace, writer FROM writers")
    .map(({ namespace, writer }) => ({
      namespace,
      writer,
      author: authors.author(namespace, writer),
      isOwn: authors.whose(namespace, writer) === "me",
    }));
}

function folded(name: string): string {
  return name.normalize("NFC").toLowerCase();
}
