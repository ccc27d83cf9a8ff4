import type { LogState, NamespaceId, Sha256 } from "@tidemark/protocol";
import { base64url, CompactEncrypt, compactDecrypt, decodeProtectedHeader, importJWK } from "jose";
import type { JWK } from "jose";
import { commitOf, keyBytes, type EpochKey } from "./epoch-key.ts";
import { signText, unverifiedText, verifyText } from "./signed-text.ts";

/** How a key is wrapped (RFC 7518 §4.6, RFC 8037), and nothing else is opened. */
const keyAlgorithm = "ECDH-ES+A256KW";
const contentAlgorithm = "A256GCM";
const wrapType = "tidemark-wrap+jws";

/** Who gets a key, and from whom. */
export interface Wrapping {
  readonly namespace: NamespaceId;
  /** The wrapping device and its private Ed25519 key. */
  readonly by: { readonly device: string; readonly jwk: JWK };
  /** The receiving device and its X25519 key, as the log names it. */
  readonly to: { readonly device: string; readonly enc: string };
}

/**
 * Wraps an epoch's key to one device (EE7). What is encrypted to a public key says nothing of who
 * did it, so the wrapping device signs for whom, of which namespace and epoch it is.
 */
export async function wrapKey(wrapping: Wrapping, epochKey: EpochKey): Promise<string> {
  const { namespace, by, to } = wrapping;
  const { epoch, key, names, name } = epochKey;
  const text = JSON.stringify({
    key: base64url.encode(key),
    names: base64url.encode(names),
    name,
  });
  const recipient = await importJWK({ kty: "OKP", crv: "X25519", x: to.enc }, keyAlgorithm);
  const jwe = await new CompactEncrypt(new TextEncoder().encode(text))
    .setProtectedHeader({ alg: keyAlgorithm, enc: contentAlgorithm })
    .encrypt(recipient);
  const payload = { ns: namespace, ep: epoch, by: by.device, to: to.device, enc: to.enc, jwe };
  return await signText(by.jwk, { type: wrapType, payload });
}

/** Why a wrap is not used: of all of these the server, or somebody on the way, may be the cause. */
export type WrapRefusal =
  /** Not of a device that the log had let in with the right to hand keys out, or not signed by it. */
  | "not-from-a-member"
  /** For another device, namespace or epoch. */
  | "not-for-us"
  /** It cannot be opened, or holds no key. */
  | "unreadable"
  /** Another key than the one that the log names: nothing is ever sealed under it (abuse 141). */
  | "another-key";

/** Who opens a wrap, and what is believed. */
export interface Opening {
  readonly sha256: Sha256;
  /** The verified log. */
  readonly log: LogState;
  readonly device: string;
  /** This device's private X25519 key. */
  readonly jwk: JWK & { readonly x: string };
}

/** Opens a wrap (EE7): verified against the log before it is decrypted, and after that as well. */
export async function openWrap(
  opening: Opening,
  { epoch, wrap }: { readonly epoch: number; readonly wrap: string },
): Promise<EpochKey | WrapRefusal> {
  const signed = await verifiedBody(opening, wrap);
  if (signed === undefined) return "not-from-a-member";
  const { jwe } = signed;
  if (!isForUs(opening, signed, epoch) || typeof jwe !== "string") return "not-for-us";
  const epochKey = epochKeyOf(epoch, parseObject(await decrypt(jwe, opening.jwk)));
  if (epochKey === undefined) return "unreadable";
  const isTheOne = commitOf(opening.sha256, epochKey) === opening.log.epochs.get(epoch)?.commit;
  return isTheOne ? epochKey : "another-key";
}

type Body = Readonly<Record<string, unknown>>;

/** What a wrap says, where a device has signed it from which this one takes keys. */
async function verifiedBody({ log, device }: Opening, wrap: string): Promise<Body | undefined> {
  const told = parseObject(unverifiedText(wrap))?.["by"];
  const by = typeof told === "string" ? log.devices.get(told) : undefined;
  if (by === undefined) return undefined;
  const isTrusted = by.wasAdmin || by.user === log.devices.get(device)?.user;
  if (!isTrusted) return undefined;
  return parseObject(await verifyText(wrap, { type: wrapType, sig: by.sig }));
}

function isForUs({ log, device, jwk }: Opening, body: Body, epoch: number): boolean {
  const { ns, ep, to, enc } = body;
  return ns === log.namespace && ep === epoch && to === device && enc === jwk.x;
}

function epochKeyOf(epoch: number, opened: Body | undefined): EpochKey | undefined {
  const key = bytesOf(opened?.["key"]);
  const names = bytesOf(opened?.["names"]);
  const name = opened?.["name"];
  if (key === undefined || names === undefined || typeof name !== "string") return undefined;
  return { epoch, key, names, name };
}

async function decrypt(jwe: string, jwk: JWK): Promise<string | undefined> {
  try {
    // Before any work: other algorithms, compression and iterations are a sender's to ask for.
    const header = decodeProtectedHeader(jwe);
    if (Object.keys(header).some((name) => !["alg", "enc", "epk"].includes(name))) return undefined;
    const { plaintext } = await compactDecrypt(jwe, await importJWK({ ...jwk }, keyAlgorithm), {
      keyManagementAlgorithms: [keyAlgorithm],
      contentEncryptionAlgorithms: [contentAlgorithm],
      maxDecompressedLength: 0,
    });
    return new TextDecoder().decode(plaintext);
  } catch {
    return undefined;
  }
}

function bytesOf(text: unknown): Uint8Array | undefined {
  if (typeof text !== "string" || !/^[\w-]{43}$/.test(text)) return undefined;
  const bytes = base64url.decode(text);
  return bytes.length === keyBytes ? bytes : undefined;
}

function parseObject(text: string | undefined): Body | undefined {
  if (text === undefined) return undefined;
  try {
    const parsed: unknown = JSON.parse(text);
    const isObject = typeof parsed === "object" && parsed !== null && !Array.isArray(parsed);
    return isObject ? { ...parsed } : undefined;
  } catch {
    return undefined;
  }
}
