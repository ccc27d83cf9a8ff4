import type { DeviceId, NamespaceId, Role, UserId } from "@tidemark/protocol";
import type { Named } from "@tidemark/protocol/wire";
import type { AdmittedDevice, LinkRow } from "../accounts-port.ts";
import type { AuditRow } from "../audit-chain.ts";
import type { Identity } from "../console-port.ts";
import type { Attempts } from "../pairing-rules.ts";
import type { NewPairing } from "../pairings-port.ts";
import type { SigningKeyRow } from "../signing-key-row.ts";
import type { NamespaceState } from "./namespace-state.ts";

/** A row of `devices`. */
export interface StoredDevice extends AdmittedDevice {
  readonly user: UserId;
  readonly status: "active" | "revoked";
  readonly mac: string | undefined;
  /** Its name as it was at join, which the mac covers. */
  readonly joinedName: string;
  /** The link it came in by. */
  readonly link: string | undefined;
  /** The highest counter that an assertion of its key has shown (AU16). */
  readonly counter: number;
  /** The one namespace that a machine may use, and the most that it may do there. */
  readonly only?: { readonly namespace: NamespaceId; readonly roleMax: Role } | undefined;
  readonly networks?: readonly string[] | undefined;
  readonly ephemeral?: boolean | undefined;
  readonly sealingKey?: string | undefined;
  /** True for what stands for an identity among the devices. */
  readonly isBrowser?: true;
  readonly pairedAtMs: number;
  readonly lastSeenAtMs: number | undefined;
}

/** A row of `users`. */
export interface StoredUser extends Named<UserId> {
  /** Whether they own the server (AD4). */
  readonly isOwner: boolean;
}

/** A row of `links`. */
export interface StoredLink extends LinkRow {
  readonly uses: number;
  readonly isRevoked: boolean;
}

/** A row of `pairings`; the code is gone once it is decided or has expired. */
export interface StoredPairing extends Omit<NewPairing, "code"> {
  readonly code: string | undefined;
  readonly status: "pending" | "approved" | "denied" | "redeemed";
  readonly decidedBy: DeviceId | undefined;
}

/** A row of `console_keys`. */
export interface ConsoleKeyRow {
  readonly kind: "link" | "session";
  readonly device: DeviceId;
  readonly madeAtMs: number;
  readonly seenAtMs: number;
  readonly endsAtMs: number;
}

/** A row of `identities`. */
export interface IdentityRow extends Identity {
  readonly device: DeviceId;
  readonly connectedAtMs: number;
}

/** A row of `oidc_flows`. */
export interface OidcFlowRow {
  readonly sessionHash: string | undefined;
  readonly endsAtMs: number;
}

/** Everything that is not a namespace's content. Account methods run to their end unbroken. */
export interface AccountState {
  server:
    | {
        readonly id: string;
        readonly claimedAtMs: number | undefined;
        /** When each setup secret expires, by its hash. */
        readonly setup: ReadonlyMap<string, number>;
        readonly nonceKey: string | undefined;
      }
    | undefined;
  readonly users: Map<UserId, StoredUser>;
  readonly devices: Map<DeviceId, StoredDevice>;
  readonly links: Map<string, StoredLink>;
  readonly pairings: Map<string, StoredPairing>;
  /** Tokens of jobs that were used, by their hashes. */
  readonly jobTokens: Map<string, { readonly device: DeviceId; readonly endsAtMs: number }>;
  /** Sign-in links and sessions of the console, by the hashes of their secrets. */
  readonly consoleKeys: Map<string, ConsoleKeyRow>;
  /** Accounts at a provider, by the ids of what stands for them. */
  readonly identities: Map<DeviceId, IdentityRow>;
  /** Sign-ins that wait for a provider's answer, by the hashes of their `state`. */
  readonly oidcFlows: Map<string, OidcFlowRow>;
  readonly signingKeys: Map<string, SigningKeyRow>;
  readonly namespaces: Map<NamespaceId, NamespaceState>;
  /** How often something was tried in vain, by what. */
  readonly attempts: Map<string, Attempts>;
  /** Who did what, in order; see `appendAudit`. */
  readonly audit: AuditRow[];
}

/** A server that nobody has claimed. */
export function emptyAccounts(): AccountState {
  return {
    server: undefined,
    users: new Map(),
    devices: new Map(),
    links: new Map(),
    pairings: new Map(),
    jobTokens: new Map(),
    consoleKeys: new Map(),
    identities: new Map(),
    oidcFlows: new Map(),
    signingKeys: new Map(),
    namespaces: new Map(),
    attempts: new Map(),
    audit: [],
  };
}
