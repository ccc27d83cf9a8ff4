import { CompactSign, compactVerify, importJWK, type JWK } from "jose";
import { algorithm } from "../access/key-signer.ts";

/** The longest text of this kind that is looked at. */
const charsMax = 8192;

/** Signs a JSON text with a device's key. */
export async function signText(
  jwk: JWK,
  { type, payload }: { readonly type: string; readonly payload: object },
): Promise<string> {
  const bytes = new TextEncoder().encode(JSON.stringify(payload));
  const signer = new CompactSign(bytes).setProtectedHeader({ alg: algorithm, typ: type });
  return await signer.sign(await importJWK({ ...jwk }, algorithm));
}

/** The payload that an Ed25519 key has signed under this type; undefined for anything else. */
export async function verifyText(
  text: string,
  { type, sig }: { readonly type: string; readonly sig: string },
): Promise<string | undefined> {
  if (text.length > charsMax) return undefined;
  try {
    const key = await importJWK({ kty: "OKP", crv: "Ed25519", x: sig }, algorithm);
    const { payload, protectedHeader } = await compactVerify(text, key, {
      algorithms: [algorithm],
    });
    const isOurs = Object.keys(protectedHeader).toSorted(byText).join() === "alg,typ";
    return isOurs && protectedHeader.typ === type ? new TextDecoder().decode(payload) : undefined;
  } catch {
    return undefined;
  }
}

/** The payload of a signed text, whoever signed it; undefined for anything else. */
export function unverifiedText(text: string): string | undefined {
  const [, payload = ""] = text.split(".");
  if (text.length > charsMax || !/^[\w-]+$/.test(payload)) return undefined;
  return Buffer.from(payload, "base64url").toString("utf8");
}

function byText(left: string, right: string): number {
  return left < right ? -1 : 1;
}
