import { compactVerify, decodeProtectedHeader, importJWK } from "jose";

/** What an entry of a membership log is headed as. */
const entryType = "tidemark-log+jws";

/** The payload of an entry that this Ed25519 key has signed; undefined for any other text. */
export async function verifyLogEntry(entry: string, sig: string): Promise<string | undefined> {
  try {
    const key = await importJWK({ kty: "OKP", crv: "Ed25519", x: sig }, "Ed25519");
    const { payload, protectedHeader } = await compactVerify(entry, key, {
      algorithms: ["Ed25519"],
    });
    if (protectedHeader.typ !== entryType) return undefined;
    return new TextDecoder().decode(payload);
  } catch {
    return undefined;
  }
}

/** The payload of an entry, whoever has signed it; undefined where it is no JWS. */
export function payloadOfEntry(entry: string): string | undefined {
  try {
    decodeProtectedHeader(entry);
    return Buffer.from(entry.split(".")[1] ?? "", "base64url").toString("utf8");
  } catch {
    return undefined;
  }
}
