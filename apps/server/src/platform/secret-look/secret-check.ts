import type { JsonObject } from "@tidemark/protocol";
import {
  createLooker,
  isDone,
  isSuspect,
  leaveRest,
  lookBytes,
  lookOn,
  shareLook,
  type SharedLook,
} from "./line-look.ts";
import { createSharedMemory } from "./shared-memory.ts";
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
  look(lines: readonly string[]): { end(): Places | Promise<Places>; drop(): void };
  holdsSecret(op: { readonly fields: JsonObject }): boolean;
} {
  const looker = createLooker();
  const memory = createSharedMemory();
  const lookAlone = (lines: readonly string[]): Places =>
    new Set(lines.flatMap((line, place) => (isSuspect(looker, line) ? [place] : [])));
  const holds = ({ fields }: { readonly fields: JsonObject }): boolean =>
    Object.entries(fields).some(
      ([name, value]) =>
        looker.scrubJson(value, { name }).findings.length > 0 ||
        looker.scrub(name).findings.length > 0,
    );
  return {
    holdsSecret: holds,
    look: (lines) => {
      if (side === undefined || lines.length < sharedLinesMin) {
        return { end: () => lookAlone(lines), drop: () => undefined };
      }
      const room = memory.take(lookBytes(lines));
      const shared = shareLook(lines, room);
      const joined = side.join(shared);
      const giveBack = (): void => memory.give(room);
      return {
        end: () => {
          lookOn(looker, shared);
          if (isDone(shared)) {
            // The other thread may hear of it only now, and looks into the memory once more.
            void joined.then(giveBack);
            return suspectsOf(shared);
          }
          return joined.then(() => {
            // A thread that ended with lines in its hands leaves all of them to this one.
            const suspects = isDone(shared) ? suspectsOf(shared) : lookAlone(lines);
            giveBack();
            return suspects;
          });
        },
        drop: () => {
          leaveRest(shared);
          void joined.then(giveBack);
        },
      };
    },
  };
}

function suspectsOf({ marks }: SharedLook): Places {
  return new Set([...marks.keys()].filter((place) => marks[place] === 1));
}
