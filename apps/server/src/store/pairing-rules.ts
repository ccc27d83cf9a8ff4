/** Requests that wait at once: from one network, and in all (PR1). */
export const pairingsMax = { ofNetwork: 3, inAll: 100 } as const;

/** How long a request that is over can still be asked about, in milliseconds. */
export const pairingAfterlifeMs = 300_000;

/** Age from which on a device may let others in, in milliseconds (PR5). */
const approverAgeMsMin = 900_000;

/** What is true of a device that wants to let another one in. */
export interface Approver {
  readonly isActive: boolean;
  readonly pairedAtMs: number;
  /**
   * Whether there is, or was, a device that was paired before it: any of the server, or where a
   * link is made, one of the same person.
   */
  readonly hasOlder: boolean;
}

/**
 * Whether a device may let others in (PR5). A new one may not for a while, so that a stolen
 * approval does not multiply; the first of a server may at once, for there is no other.
 */
export function judgeApprover(
  approver: Approver | undefined,
  nowMs: number,
): "ok" | "approver-too-new" | "device-revoked" {
  if (approver?.isActive !== true) return "device-revoked";
  const isOld = nowMs - approver.pairedAtMs >= approverAgeMsMin;
  return isOld || !approver.hasOlder ? "ok" : "approver-too-new";
}

/**
 * Whether a device may make a link (PR5). One for another device of its person, or for machines,
 * lets in as an approval does, and would multiply a stolen one as well; the first device of a
 * person has nobody to take it from. An invite lets in somebody else.
 */
export function judgeLinkMaker(
  kind: "device" | "invite" | "ci",
  maker: Approver | undefined,
  nowMs: number,
): ReturnType<typeof judgeApprover> {
  if (kind === "invite") return maker?.isActive === true ? "ok" : "device-revoked";
  return judgeApprover(maker, nowMs);
}

/** How often something may be tried in vain, and what follows. */
export interface AttemptRule {
  readonly what: string;
  readonly windowMs: number;
  /** Tries in vain within a window that lock. */
  readonly max: number;
  readonly lockMs: number;
}

/** How often something was tried in vain. */
export interface Attempts {
  readonly count: number;
  readonly windowEndsAtMs: number;
  readonly lockedUntilMs: number;
}

/** Guesses of one person: five within five minutes, or twenty within a day, cost an hour (PR6). */
export function approvalRules(user: string): readonly AttemptRule[] {
  const lockMs = 3_600_000;
  return [
    { what: `approve:${user}`, windowMs: 300_000, max: 5, lockMs },
    { what: `approve-day:${user}`, windowMs: 86_400_000, max: 20, lockMs },
  ];
}

/** Guesses of everybody: more than sixty within a minute pause the codes for ten (PR6). */
export const serverApprovals: AttemptRule = {
  what: "approve",
  windowMs: 60_000,
  max: 61,
  lockMs: 600_000,
};

/** Wrong secrets for the id of a link: ten burn it (PR10). */
export function linkGuesses(id: string): AttemptRule {
  const thirtyDaysMs = 2_592_000_000;
  return { what: `link:${id}`, windowMs: thirtyDaysMs, max: 10, lockMs: thirtyDaysMs };
}

/** One more try in vain. */
export function countAttempt(
  before: Attempts | undefined,
  rule: AttemptRule,
  nowMs: number,
): Attempts {
  const isWithin = before !== undefined && before.windowEndsAtMs > nowMs;
  const count = isWithin ? before.count + 1 : 1;
  const windowEndsAtMs = isWithin ? before.windowEndsAtMs : nowMs + rule.windowMs;
  const lockedUntilMs = count >= rule.max ? nowMs + rule.lockMs : (before?.lockedUntilMs ?? 0);
  return { count, windowEndsAtMs, lockedUntilMs };
}
