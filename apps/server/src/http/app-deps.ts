import type { AuthDeps, PublicUrls } from "../auth/auth-deps.ts";
import type { Issuer, IssuerFetch } from "../auth/jobs/issuers.ts";
import type { KeyVault } from "../auth/key-vault.ts";
import type { OidcSettings, ProviderFetch } from "../auth/oidc/provider.ts";
import type { Quota } from "../domain/quota.ts";
import type { SecretCheck } from "../domain/sync-deps.ts";
import type { Store } from "../store/port.ts";
import type { Answered } from "./middleware/observe.ts";
import type { HeadNotices } from "./pokes/head-watch.ts";

/** A value of a log line: counts, ids, names; never content, tokens or addresses with secrets. */
type Fact = string | number | boolean | null | undefined;

/** The log, as this layer uses it. */
export interface Log {
  info(event: string, facts?: Readonly<Record<string, Fact>>): void;
  warn(event: string, facts?: Readonly<Record<string, Fact>>): void;
  error(event: string, facts?: Readonly<Record<string, Fact>>): void;
}

/** Bytes in and out of gzip. */
export interface Gzip {
  compress(content: string | Uint8Array): Promise<Uint8Array>;
  /** Of what it is given at most `bytesMax` bytes come out. */
  createExpander(bytesMax: number): Expander;
}

/** What a gzip expands to, while it comes. */
export interface Expander {
  add(bytes: Uint8Array): Promise<Expanded>;
  /** What was left, where the gzip is whole. */
  end(): Promise<Expanded>;
  /** Gives its memory back, wherever it stands. */
  close(): void;
}

/** Pieces in order, or why there are no more. */
export type Expanded = readonly Uint8Array[] | "too-large" | "malformed";

/** Is told of each answer. */
export interface AnswerObserver {
  /** A clock that nobody sets, in milliseconds. */
  nowMs(): number;
  answered(answer: Answered): void;
  /** Whether the log has a line of each, and not of the refused ones alone. */
  readonly isLogged: boolean;
}

/** All that the HTTP application is made of. */
export interface AppDeps extends AuthDeps {
  /** What seals the keys that sign. */
  readonly vault: KeyVault;
  readonly timers: { every(ms: number, tick: () => void): () => void };
  readonly log: Log;
  readonly gzip: Gzip;
  readonly store: Store;
  readonly publicUrls: PublicUrls;
  /** The version of the program, for `hello`. */
  readonly version: string;
  /** What each namespace may hold. */
  readonly quota: Quota;
  readonly secrets?: SecretCheck | undefined;
  /** Whether an address is a reverse proxy whose `X-Forwarded-For` is believed; default: none is. */
  readonly isTrustedProxy?: (address: string) => boolean;
  /** How replicas tell each other of moved heads; without it each asks the database. */
  readonly headNotices?: HeadNotices;
  /** Whether devices may show a code (PR1), or links are the only way in; default: they may. */
  readonly pairing?: "pulled" | "links-only";
  /** CI services whose jobs may come in by their tokens (PR15); default: none. */
  readonly jobs?: { readonly issuers: readonly Issuer[]; readonly fetch: IssuerFetch };
  /** The provider by which people may sign in to the console (CO10); default: none. */
  readonly oidc?: { readonly settings: OidcSettings; readonly fetch: ProviderFetch } | undefined;
  /** Who is told of each answer. */
  readonly observer?: AnswerObserver;
  /** Called once, when the server has got its owner. */
  readonly onClaimed?: (serverId: string) => Promise<void>;
}
