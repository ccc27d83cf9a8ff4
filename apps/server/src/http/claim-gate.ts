import { base32 } from "@tidemark/protocol";
import type { AccountStore, ServerRow } from "../store/accounts-port.ts";

/** Knows which server this is and whether it has an owner. */
export interface ClaimGate {
  server(): Promise<ServerRow>;
  isClaimed(): Promise<boolean>;
}

/** Asks the database until the server is claimed; a claim is for ever, so then it is remembered. */
export function createClaimGate(deps: {
  readonly random: { bytes(count: number): Uint8Array };
  readonly accounts: Pick<AccountStore, "server">;
}): ClaimGate {
  let claimed: ServerRow | undefined;
  const server = async (): Promise<ServerRow> => {
    if (claimed !== undefined) return claimed;
    const row = await deps.accounts.server(() => `srv_${base32(deps.random.bytes(16))}`);
    if (row.claimedAtMs !== undefined) claimed = row;
    return row;
  };
  return { server, isClaimed: async () => (await server()).claimedAtMs !== undefined };
}
