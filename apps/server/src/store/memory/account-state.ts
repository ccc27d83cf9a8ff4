import type { DeviceId, NamespaceId, UserId } from "@tidemark/protocol";
import type { Named } from "@tidemark/protocol/wire";
import type { AdmittedDevice, LinkRow, SigningKeyRow } from "../accounts-port.ts";
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
  readonly pairedAtMs: number;
  readonly lastSeenAtMs: number | undefined;
}

/** Everything that is not a namespace's content. Account methods run to their end unbroken. */
export interface AccountState {
  server:
    | {
        readonly id: string;
        readonly claimedAtMs: number | undefined;
        /** When each setup secret expires, by its hash. */
        readonly setup: ReadonlyMap<string, number>;
      }
    | undefined;
  readonly users: Map<UserId, Named<UserId>>;
  readonly devices: Map<DeviceId, StoredDevice>;
  readonly links: Map<string, LinkRow & { readonly isUsed: boolean }>;
  readonly signingKeys: Map<string, SigningKeyRow>;
  readonly namespaces: Map<NamespaceId, NamespaceState>;
}

/** A server that nobody has claimed. */
export function emptyAccounts(): AccountState {
  return {
    server: undefined,
    users: new Map(),
    devices: new Map(),
    links: new Map(),
    signingKeys: new Map(),
    namespaces: new Map(),
  };
}
