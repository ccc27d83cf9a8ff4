/** Decides about devices that show a code (PR11). */
import { fail, ok } from "@tidemark/protocol";
import { pairFactsSchema, type PairFacts } from "@tidemark/protocol/wire";
import type { Caller } from "../http/caller.ts";
import { accessError, type AccessError, type Done } from "./access-error.ts";
import { pairMac, type PairHashes } from "./pair-mac.ts";

/** What deciding needs. */
export interface ApprovalDeps {
  /** A caller with this device's credentials. */
  readonly caller: Caller;
  readonly hashes: PairHashes;
  /** The server as this device knows it: not as it calls itself at this moment. */
  readonly serverId: string;
}

/** What a paired device may do about others that show a code. */
export interface Approvals {
  /** Who asks; a wrong code counts as a guess. */
  lookUp(code: string, signal: AbortSignal): Done<PairFacts>;
  /** Whether key and name came through as the device sent them (PR3). Sends nothing. */
  isGenuine(facts: PairFacts, half: string): Promise<boolean>;
  approve(facts: PairFacts, signal: AbortSignal): Done<void>;
  deny(facts: PairFacts, signal: AbortSignal): Done<void>;
}

/** Makes the decisions of a paired device. */
export function createApprovals({ caller, hashes, serverId }: ApprovalDeps): Approvals {
  const post = (value: object) =>
    ({
      method: "POST",
      body: { type: "application/json", content: JSON.stringify(value) },
    }) as const;
  const decide = async (
    verb: "approve" | "deny",
    { id }: PairFacts,
    signal: AbortSignal,
  ): Done<void> => {
    const call = { ...post({ id }), path: `/v1/pair/${verb}`, accept: "application/json" };
    const answer = await caller.text(call, signal);
    return answer.ok ? ok(undefined) : fail(accessError(answer.error));
  };
  return {
    lookUp: async (code, signal) => {
      const call = { ...post({ code }), path: "/v1/pair/lookup" };
      const answer = await caller.json(call, pairFactsSchema, signal);
      if (answer.ok) return answer;
      const isUnknown = answer.error.code === "invalid-or-expired";
      return fail(isUnknown ? nobodyWaits : accessError(answer.error));
    },
    isGenuine: async ({ thumbprint, name, mac, salt }, half) =>
      (await pairMac(hashes, { half, salt }, { thumbprint, name, serverId })) === mac,
    approve: (facts, signal) => decide("approve", facts, signal),
    deny: (facts, signal) => decide("deny", facts, signal),
  };
}

const nobodyWaits: AccessError = {
  code: "invalid-or-expired",
  message: "no device waits with this code",
  hint: "compare it with the one on the new device; a code works for five minutes, and once",
};
