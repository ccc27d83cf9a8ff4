import { base32 } from "@tidemark/protocol";
import { exportJWK, importJWK, importPKCS8, type CryptoKey, type JWK } from "jose";
import type { AccountStore } from "../store/accounts-port.ts";
import type { SigningKeyRow } from "../store/signing-key-row.ts";
import { algorithm, type AuthDeps } from "./auth-deps.ts";
import type { KeyVault } from "./key-vault.ts";
import {
  isTurnDue,
  ownKey,
  reloadEveryMs,
  turnKeys,
  verifiesUntilMs,
  type FreshKey,
  type KeyOrder,
} from "./signing-key-rules.ts";

/** A key that signs access tokens, ready for use. */
interface SigningKey {
  readonly kid: string;
  readonly key: CryptoKey;
}

/** A public key as `/.well-known/jwks.json` shows it; `alg` is always there. */
interface PublishedKey {
  readonly kty: "OKP";
  readonly crv: "Ed25519";
  readonly x: string;
  readonly kid: string;
  readonly alg: "Ed25519";
  readonly use: "sig";
}

/** The keys of the server, shared by its replicas through the database. */
export interface SigningKeys {
  /** The one key that signs. */
  active(): Promise<SigningKey>;
  /** The key to verify with; undefined for an unknown or outlived one. */
  verifier(kid: string): Promise<CryptoKey | undefined>;
  published(): Promise<readonly PublishedKey[]>;
}

/** What the keys need. */
export interface SigningKeysDeps {
  readonly clock: AuthDeps["clock"];
  readonly random: AuthDeps["random"];
  readonly vault: KeyVault;
  readonly accounts: Pick<AccountStore, "signingKeys" | "changeSigningKeys">;
}

/** An unknown kid makes a replica look again, but not more often than this, in milliseconds. */
const reloadMsMin = 1_000;

interface Loaded {
  readonly rows: readonly SigningKeyRow[];
  readonly verifiers: ReadonlyMap<string, CryptoKey>;
  readonly published: readonly PublishedKey[];
  readonly atMs: number;
}

/**
 * The server's signing keys (AU5). Replicas that share a master key share the one that signs;
 * public keys are everybody's. What verifies is kept in memory and read again from time to time;
 * what signs is read for each token, so that a key which was revoked signs nothing more. The first
 * use makes the first keys.
 */
export function createSigningKeys(deps: SigningKeysDeps): SigningKeys {
  let loading: Promise<Loaded> | undefined;
  let loaded: Loaded | undefined;
  let opened: SigningKey | undefined;

  const load = async (ageMsMax: number): Promise<Loaded> => {
    if (loaded !== undefined && Math.abs(deps.clock.nowMs() - loaded.atMs) < ageMsMax) {
      return loaded;
    }
    loading ??= loadKeys(deps);
    try {
      loaded = await loading;
    } finally {
      loading = undefined;
    }
    return loaded;
  };
  const open = async (rows: readonly SigningKeyRow[]): Promise<SigningKey | undefined> => {
    const row = ownKey(rows, deps.vault.master, "signing");
    if (row === undefined) return undefined;
    if (opened?.kid === row.kid) return opened;
    const jwk = await deps.vault.open(row.kid, row.sealed ?? "");
    return jwk === undefined ? undefined : { kid: row.kid, key: await importKey(jwk) };
  };

  return {
    active: async () => {
      opened = await open((await load(0)).rows);
      // Somebody has changed the sealed key: whatever it was, it signs no more.
      opened ??= await open(await turnSigningKeys(deps, { turn: "anew" }));
      if (opened === undefined) throw new Error("the database has no signing key");
      return opened;
    },
    published: async () => (await load(reloadEveryMs)).published,
    verifier: async (kid) => {
      const known = (await load(reloadEveryMs)).verifiers.get(kid);
      return known ?? (await load(reloadMsMin)).verifiers.get(kid);
    },
  };
}

/**
 * Has the keys take turns, as ordered or as is due; gives them as they are then. Of servers that
 * do so at once, each acts on what the one before it left.
 */
export async function turnSigningKeys(
  deps: SigningKeysDeps,
  order: KeyOrder,
): Promise<readonly SigningKeyRow[]> {
  const fresh = [await freshKey(deps), await freshKey(deps)] as const;
  const nowMs = deps.clock.nowMs();
  const { master } = deps.vault;
  return await deps.accounts.changeSigningKeys((rows) => {
    const turned = turnKeys(rows, { ...order, nowMs, master, fresh });
    const before = ownKey(rows, master, "signing")?.kid;
    const kid = ownKey(turned, master, "signing")?.kid ?? "";
    const { revoke } = order;
    const isRevoked = rows.some((row) => row.kid === revoke);
    if (kid === before && !isRevoked) return { rows: turned };
    const details = {
      ...(before === undefined || before === kid ? {} : { before }),
      ...(isRevoked && revoke !== undefined ? { revoked: revoke } : {}),
    };
    return { rows: turned, entry: { event: "signing-keys-rotated", target: kid, details }, nowMs };
  });
}

async function loadKeys(deps: SigningKeysDeps): Promise<Loaded> {
  const nowMs = deps.clock.nowMs();
  const { master } = deps.vault;
  const found = await deps.accounts.signingKeys();
  const isDue = isTurnDue(found, { nowMs, master });
  const rows = isDue ? await turnSigningKeys(deps, {}) : found;
  const verifiers = new Map<string, CryptoKey>();
  const published: PublishedKey[] = [];
  for (const row of rows) {
    const untilMs = verifiesUntilMs(row, rows);
    if (untilMs !== undefined && untilMs <= nowMs) continue;
    const { x = "" }: JWK = JSON.parse(row.jwk);
    published.push({ ...publicParts(x), kid: row.kid, alg: algorithm, use: "sig" });
    if (untilMs !== undefined) verifiers.set(row.kid, await importKey(publicParts(x)));
  }
  return { rows, verifiers, published, atMs: nowMs };
}

function publicParts(x: string): { kty: "OKP"; crv: "Ed25519"; x: string } {
  return { kty: "OKP", crv: "Ed25519", x };
}

async function importKey(jwk: JWK): Promise<CryptoKey> {
  const key = await importJWK(jwk, algorithm);
  if (key instanceof Uint8Array) throw new Error("a signing key is not an Ed25519 key");
  return key;
}

async function freshKey({ random, vault }: SigningKeysDeps): Promise<FreshKey> {
  const jwk = await privateJwk(random.bytes(32));
  const kid = base32(random.bytes(8));
  const shown = JSON.stringify(publicParts(jwk.x ?? ""));
  return { kid, jwk: shown, sealed: await vault.seal(kid, jwk) };
}

/** What stands before the 32 secret bytes in the PKCS 8 form of an Ed25519 key (RFC 8410). */
const pkcs8Head = [
  0x30, 0x2e, 0x02, 0x01, 0x00, 0x30, 0x05, 0x06, 0x03, 0x2b, 0x65, 0x70, 0x04, 0x22, 0x04, 0x20,
];

/** The private JWK of an Ed25519 key made of 32 random bytes. */
export async function privateJwk(secret: Uint8Array): Promise<JWK> {
  const body = btoa(String.fromCodePoint(...pkcs8Head, ...secret));
  const pem = `-----BEGIN PRIVATE KEY-----\n${body}\n-----END PRIVATE KEY-----`;
  return await exportJWK(await importPKCS8(pem, algorithm, { extractable: true }));
}
