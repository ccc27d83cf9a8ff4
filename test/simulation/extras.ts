import { createGenerator } from "./tape.ts";
import {
  atOnceEvery,
  deletingEvery,
  failoverEvery,
  familyEvery,
  fullEvery,
  longEvery,
  losingEvery,
  partingEvery,
  raisingEvery,
  returningEvery,
  returningSealedEvery,
  sealedEvery,
  sleepingEvery,
  turningEvery,
  waryEvery,
} from "./world-mix.ts";

/** What a world has that its tape does not say: it came later, and kept tapes stay what they are. */
export interface Extras {
  /** One team is encrypted. */
  readonly isSealed?: boolean | undefined;
  /** Its key turns over again and again. */
  readonly isTurning?: boolean | undefined;
  /** Its log goes another way after a restore than some have seen. */
  readonly isParting?: boolean | undefined;
  /** Who may let others in there changes as the server's roles do. */
  readonly isRaising?: boolean | undefined;
  /** Damage of a device's database takes the keys of the encrypted team with it. */
  readonly isLosingKeys?: boolean | undefined;
  /** A database that is set back is so under replicas that run on, as when a standby takes over. */
  readonly isFailover?: boolean | undefined;
  /** Half of what is written is children of one record, which is forgotten again and again. */
  readonly isFamily?: boolean | undefined;
  /** The server has little room for a while, and refuses what would need more. */
  readonly isFull?: boolean | undefined;
  /** Teams are deleted by their owner and brought back, as they were. */
  readonly isDeleting?: boolean | undefined;
  /** Everything is off for days or weeks, and the server lets go of what has had its time. */
  readonly isSleeping?: boolean | undefined;
  /** Several records change in one step now and then, and conflicts are resolved by a third value. */
  readonly isAtOnce?: boolean | undefined;
  /** The server finds secrets in what is written that devices did not know when they wrote it. */
  readonly isWary?: boolean | undefined;
  /** Devices are shut out, or lose their names, and pair again; the code lets in where nobody can. */
  readonly isReturning?: boolean | undefined;
  /** Its storm is longer, so that what rarely happens meets what else rarely happens. */
  readonly isLong?: boolean | undefined;
}

/** What the world of a seed has; nothing is named that it has not. */
export function extrasOf(seed: number): Extras {
  const isSealed = isOneOf(seed, 5, sealedEvery);
  const isDeleting = isOneOf(seed, 12, deletingEvery);
  return {
    ...(isSealed ? { isSealed } : {}),
    ...(isSealed && isOneOf(seed, 8, turningEvery) ? { isTurning: true } : {}),
    ...(isSealed && isOneOf(seed, 14, partingEvery) ? { isParting: true } : {}),
    ...(isSealed && isOneOf(seed, 9, raisingEvery) ? { isRaising: true } : {}),
    ...(isSealed && isOneOf(seed, 10, losingEvery) ? { isLosingKeys: true } : {}),
    ...(isOneOf(seed, 6, failoverEvery) ? { isFailover: true } : {}),
    ...(isOneOf(seed, 7, familyEvery) ? { isFamily: true } : {}),
    ...(isOneOf(seed, 11, fullEvery) ? { isFull: true } : {}),
    ...(isDeleting ? { isDeleting } : {}),
    // What is deleted for so long is gone for good, by right (NS23).
    ...(!isDeleting && isOneOf(seed, 13, sleepingEvery) ? { isSleeping: true } : {}),
    ...(isOneOf(seed, 15, atOnceEvery) ? { isAtOnce: true } : {}),
    ...(isOneOf(seed, 16, waryEvery) ? { isWary: true } : {}),
    ...(isOneOf(seed, 17, isSealed ? returningSealedEvery : returningEvery)
      ? { isReturning: true }
      : {}),
    ...(isOneOf(seed, 18, longEvery) ? { isLong: true } : {}),
  };
}

function isOneOf(seed: number, purpose: number, every: number): boolean {
  return createGenerator(seed, purpose)() < 1 / every;
}
