import type { JsonObject } from "@tidemark/protocol";
import { createLooker, isDone, lookOn, shareLook, type SharedLook } from "./line-look.ts";
import type { SideThread } from "./side-thread.ts";

type Places = ReadonlySet<number>;

/** Of fewer lines one thread has looked through all before another has heard of them. */
const sharedLinesMin = 64;

/**
 * Looks for secrets in ops with the scrubber that devices use (SC60). The lines of a push are read as
 * they lie first, which finds nothing in nearly all of them; what is found there counts if the fields,
 * each under its name as a device scrubs them, hold it too.
 *
 * @param side another thread, which shares the look through long pushes: it is half of what they cost
 */
export function createSecretCheck(side?: SideThread): {
  look(lines: readonly string[]): () => Places | Promise<Places>;
  holdsSecret(op: { readonly fields: JsonObject }): boolean;
} {
  const looker = createLooker();
  const holds = ({ fields }: { readonly fields: JsonObject }): boolean =>
    Object.entries(fields).some(
      ([name, value]) =>
        looker.scrubJson(value, { name }).findings.length > 0 ||
        looker.scrub(name).findings.length > 0,
    );
  return {
    holdsSecret: holds,
    look: (lines) => {
      const look = shareLook(lines);
      const joined = lines.length < sharedLinesMin ? undefined : side?.join(look);
      return () => {
        lookOn(looker, look);
        if (joined === undefined || isDone(look)) return suspectsOf(look);
        return joined.then(() => {
          // A thread that ended with lines in its hands leaves all of them to this one.
          if (isDone(look)) return suspectsOf(look);
          const anew = shareLook(lines);
          lookOn(looker, anew);
          return suspectsOf(anew);
        });
      };
    },
  };
}

function suspectsOf({ lines, marks }: SharedLook): Places {
  return new Set([...lines.keys()].filter((place) => marks[place] === 1));
}
