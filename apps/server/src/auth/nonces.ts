import { base64url } from "jose";
import type { AccountStore } from "../store/accounts-port.ts";
import { nonceLifeS, replicaSkewS, type AuthDeps } from "./auth-deps.ts";

/** The server's nonces (RFC 9449 §8): each says when it was given, and nobody else can make one. */
export interface Nonces {
  /** A nonce as of now. */
  give(): Promise<string>;
  /** Whether a replica gave it within its life, and since this process began (AU17). */
  isFresh(nonce: string): Promise<boolean>;
}

/** What nonces need. */
export interface NoncesDeps extends Pick<
  AuthDeps,
  "clock" | "random" | "hmacSha256" | "isSameSecret"
> {
  readonly accounts: Pick<AccountStore, "nonceKey">;
}

const timeBytes = 8;
const macBytes = 16;
/** How often a nonce that looks foreign has the key read anew, in milliseconds: anybody can make one up. */
const rereadMs = 1_000;

/**
 * Makes the nonces of one process. Nothing of them is stored but the key, which the replicas share
 * through the database; what was given before this process began is refused, for its memory of
 * used proofs begins then. A database that was set back may have another key, which replicas that
 * started since give by: a nonce that none of ours could be has the key read anew.
 */
export function createNonces(deps: NoncesDeps): Nonces {
  let beganAtMs = Math.floor(deps.clock.nowMs());
  let known: Promise<Uint8Array> | undefined;
  let readAtMs = beganAtMs;

  const key = async (): Promise<Uint8Array> => {
    known ??= readKey(deps);
    try {
      return await known;
    } catch (cause) {
      known = undefined;
      throw cause;
    }
  };
  // A clock that was ahead and is set back would else have the process refuse its own nonces.
  const readNowMs = (): number => {
    const nowMs = Math.floor(deps.clock.nowMs());
    beganAtMs = Math.min(beganAtMs, nowMs);
    return nowMs;
  };
  const nonceOf = async (atMs: number): Promise<string> => {
    const time = new Uint8Array(timeBytes);
    new DataView(time.buffer).setBigUint64(0, BigInt(atMs));
    const mac = deps.hmacSha256(await key(), time).subarray(0, macBytes);
    return base64url.encode(new Uint8Array([...time, ...mac]));
  };

  const isOurs = async (nonce: string, atMs: number): Promise<boolean> =>
    deps.isSameSecret(nonce, await nonceOf(atMs));
  const readKeyAnew = (nowMs: number): void => {
    if (Math.abs(nowMs - readAtMs) < rereadMs) return;
    readAtMs = nowMs;
    const before = known;
    // A database that cannot be asked takes from nobody the key that was good so far.
    known = readKey(deps).catch(async (cause: unknown) => {
      if (before === undefined) throw cause;
      return await before;
    });
  };

  return {
    give: async () => await nonceOf(readNowMs()),
    isFresh: async (nonce) => {
      const atMs = timeOf(nonce);
      if (atMs === undefined) return false;
      const nowMs = readNowMs();
      const ageMs = nowMs - atMs;
      if (ageMs > nonceLifeS * 1000 || ageMs < -replicaSkewS * 1000 || atMs < beganAtMs) {
        return false;
      }
      if (await isOurs(nonce, atMs)) return true;
      readKeyAnew(nowMs);
      return await isOurs(nonce, atMs);
    },
  };
}

async function readKey({ accounts, random }: NoncesDeps): Promise<Uint8Array> {
  return base64url.decode(await accounts.nonceKey(() => base64url.encode(random.bytes(32))));
}

/** When a nonce says that it was given; undefined for what is none. */
function timeOf(nonce: string): number | undefined {
  if (!/^[\w-]{32}$/.test(nonce)) return undefined;
  const bytes = base64url.decode(nonce);
  const atMs = new DataView(bytes.buffer, bytes.byteOffset).getBigUint64(0);
  return atMs <= BigInt(Number.MAX_SAFE_INTEGER) ? Number(atMs) : undefined;
}
