import { fail, ok, type Result } from "@tidemark/protocol";
import type { Author } from "../store/local-store.ts";

/** What is read of authors. */
export interface AuthorReads {
  /** Whether somebody of that name, or `me`, can be asked for. */
  isAuthor(name: string): boolean;
  /** Everyone who has written here, by name, as far as this device was told. */
  authors(): readonly Author[];
}

/** Why a search for somebody's words finds none of them. */
export interface UnknownAuthor {
  readonly code: "unknown-author";
  readonly message: string;
  readonly hint: string;
}

/** Names that are told where one was mistyped. */
const namesShown = 20;

/** A name that somebody has written here under (RC27); one of nobody is most often mistyped. */
export function knownAuthor(
  reads: AuthorReads,
  name: string | undefined,
): Result<string | undefined, UnknownAuthor> {
  if (name === undefined || reads.isAuthor(name)) return ok(name);
  const known = reads.authors().flatMap(({ user, device }) => [user, device]);
  const names = [...new Set(known)].filter((each) => each !== null).slice(0, namesShown);
  return fail({
    code: "unknown-author",
    message: `nobody called ${name} has written anything that this device knows`,
    hint:
      names.length === 0
        ? "`me` is yourself; others are known after `tidemark sync`"
        : `known are me, ${names.join(", ")}`,
  });
}
