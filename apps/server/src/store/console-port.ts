import type { DeviceId, Result, UserId } from "@tidemark/protocol";
import type { DeviceKey, Named } from "@tidemark/protocol/wire";

/** A browser that is signed in, as whom, and by which device. */
export interface ConsoleSession {
  readonly user: Named<UserId> & { readonly isOwner: boolean };
  /** What acts: a paired device, or what stands for an identity (CO12). */
  readonly device: Named<DeviceId>;
  /** Whose word it rests on; undefined: a paired device's. */
  readonly issuer: string | undefined;
  /** When its person was last asked for: dangerous acts want this to be a moment ago (CO5). */
  readonly madeAtMs: number;
}

/** Sign-in links and sessions of the console; of their secrets only hashes are kept (CO1). */
export interface ConsoleStore {
  /** Keeps a link of a person's device in the place of its last one; false for any other device. */
  saveConsoleLink(link: {
    readonly hash: string;
    readonly asking: DeviceId;
    readonly nowMs: number;
    readonly endsAtMs: number;
  }): Promise<boolean>;
  /** Takes a link, once, and opens the session that it is for; undefined where it opens nothing. */
  openConsole(input: {
    readonly linkHash: string;
    readonly sessionHash: string;
    readonly nowMs: number;
    readonly endsAtMs: number;
    readonly network: string | undefined;
  }): Promise<ConsoleSession | undefined>;
  /**
   * Finds a session that is neither over nor idle and whose device is still let in (CO2), and notes
   * that it was used.
   */
  consoleSession(hash: string, nowMs: number): Promise<ConsoleSession | undefined>;
  /** Ends a session. */
  closeConsole(hash: string): Promise<void>;
}

/** An account at a provider, by the two things that nobody can change there (CO10). */
export interface Identity {
  readonly issuer: string;
  readonly subject: string;
}

/** An account that a person has connected. */
export interface ConnectedIdentity {
  readonly issuer: string;
  readonly connectedAtMs: number;
}

/** Why an account was not connected. It is never told whose another's is. */
export type ConnectError = "signed-out" | "taken" | "connected-already";

/** Accounts at a provider of OpenID Connect, and sign-ins that wait for its answer. */
export interface IdentityStore {
  /** Keeps a sign-in that a browser begins; one that connects names the session that asked. */
  saveOidcFlow(flow: {
    readonly stateHash: string;
    readonly sessionHash: string | undefined;
    readonly nowMs: number;
    readonly endsAtMs: number;
  }): Promise<void>;
  /** Takes a sign-in, once and in time; undefined where there is none. */
  takeOidcFlow(
    stateHash: string,
    nowMs: number,
  ): Promise<{ readonly sessionHash: string | undefined } | undefined>;
  /** Makes an account its person's, who has a session by a paired device (CO11). */
  connectIdentity(input: {
    readonly sessionHash: string;
    readonly identity: Identity;
    /** What stands for it among the devices: a name, and a key of which nobody has the other half. */
    readonly actor: {
      readonly id: DeviceId;
      readonly name: string;
      readonly key: DeviceKey;
      readonly thumbprint: string;
    };
    readonly nowMs: number;
    readonly network: string | undefined;
  }): Promise<Result<void, ConnectError>>;
  /** What the person of a device has connected. */
  identities(asking: DeviceId): Promise<readonly ConnectedIdentity[]>;
  /** Ends an account of the person and its sessions; false where there is none. */
  disconnectIdentity(input: {
    readonly asking: DeviceId;
    readonly issuer: string;
    readonly nowMs: number;
    readonly network: string | undefined;
  }): Promise<boolean>;
  /** Opens a session for whom the account is connected to; undefined where that is nobody. */
  openByIdentity(input: {
    readonly identity: Identity;
    readonly sessionHash: string;
    /** When the provider asked for the person. */
    readonly askedAtMs: number;
    readonly nowMs: number;
    readonly endsAtMs: number;
    readonly network: string | undefined;
  }): Promise<ConsoleSession | undefined>;
}
