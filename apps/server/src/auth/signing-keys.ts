import { base32 } from "@tidemark/protocol";
import { exportJWK, importJWK, importPKCS8, type CryptoKey, type JWK } from "jose";
import type { AccountStore, SigningKeyRow } from "../store/accounts-port.ts";
import { algorithm, replicaSkewS, tokenLifeS, type AuthDeps } from "./auth-deps.ts";

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
  readonly accounts: Pick<AccountStore, "signingKeys" | "addSigningKey">;
}

/** A key signs this long, in milliseconds; then the next use makes a new one (AU5). */
export const signingKeyLifeMs = 30 * 86_400_000;
/** How soon a replica notices that another one rotated, in milliseconds. */
const reloadEveryMs = 60_000;
/** An unknown kid makes a replica look again, but not more often than this, in milliseconds. */
const reloadMsMin = 1_000;
/** A retired key verifies until the last token it may have signed has expired (AU5). */
const overlapMs = reloadEveryMs + (tokenLifeS + replicaSkewS) * 1000;

interface Loaded {
  readonly active: SigningKey;
  readonly verifiers: ReadonlyMap<string, CryptoKey>;
  readonly published: readonly PublishedKey[];
  readonly atMs: number;
}

/**
 * The server's signing keys (AU5): one active, and the retired ones whose tokens may still live.
 * They are kept in memory and read again from time to time; the first use makes the first key.
 */
export function createSigningKeys(deps: SigningKeysDeps): SigningKeys {
  let loading: Promise<Loaded> | undefined;
  let loaded: Loaded | undefined;

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

  return {
    active: async () => (await load(reloadEveryMs)).active,
    published: async () => (await load(reloadEveryMs)).published,
    verifier: async (kid) => {
      const known = (await load(reloadEveryMs)).verifiers.get(kid);
      return known ?? (await load(reloadMsMin)).verifiers.get(kid);
    },
  };
}

/** Makes a new active key; the one so far goes on verifying until its tokens have expired. */
export async function rotateSigningKeys(deps: SigningKeysDeps): Promise<SigningKeyRow> {
  const row = await createKeyRow(deps);
  await deps.accounts.addSigningKey(row);
  return row;
}

async function loadKeys(deps: SigningKeysDeps): Promise<Loaded> {
  const nowMs = deps.clock.nowMs();
  let rows = await deps.accounts.signingKeys();
  if (!rows.some((row) => row.status === "active" && nowMs - row.createdAtMs < signingKeyLifeMs)) {
    await rotateSigningKeys(deps);
    rows = await deps.accounts.signingKeys();
  }
  const usable = rows.filter((row) => nowMs < verifiesUntilMs(row, rows));
  const verifiers = new Map<string, CryptoKey>();
  const published: PublishedKey[] = [];
  let active: SigningKey | undefined;
  for (const row of usable) {
    const jwk: JWK = JSON.parse(row.jwk);
    const { x = "" } = jwk;
    const shown: PublishedKey = { ...publicParts(x), kid: row.kid, alg: algorithm, use: "sig" };
    published.push(shown);
    verifiers.set(row.kid, await importKey(publicParts(x)));
    if (row.status === "active") active = { kid: row.kid, key: await importKey(jwk) };
  }
  if (active === undefined) throw new Error("the database has no active signing key");
  return { active, verifiers, published, atMs: nowMs };
}

function verifiesUntilMs(row: SigningKeyRow, rows: readonly SigningKeyRow[]): number {
  if (row.status === "active") return Number.POSITIVE_INFINITY;
  const successors = rows.filter(({ createdAtMs }) => createdAtMs > row.createdAtMs);
  // The key was retired when its first successor was made.
  return Math.min(...successors.map(({ createdAtMs }) => createdAtMs)) + overlapMs;
}

function publicParts(x: string): { kty: "OKP"; crv: "Ed25519"; x: string } {
  return { kty: "OKP", crv: "Ed25519", x };
}

async function importKey(jwk: JWK): Promise<CryptoKey> {
  const key = await importJWK(jwk, algorithm);
  if (key instanceof Uint8Array) throw new Error("a signing key is not an Ed25519 key");
  return key;
}

async function createKeyRow(deps: SigningKeysDeps): Promise<SigningKeyRow> {
  const jwk = await privateJwk(deps.random.bytes(32));
  return {
    kid: base32(deps.random.bytes(8)),
    jwk: JSON.stringify(jwk),
    status: "active",
    createdAtMs: deps.clock.nowMs(),
  };
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
