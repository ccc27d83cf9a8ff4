import { createCipheriv, createDecipheriv, createHmac } from "node:crypto";
import type { SealCipher } from "../sealed/seal-cipher.ts";

/** The real ciphers, for tests only: the package itself gets them passed in. */
export const sealCipher: SealCipher = {
  hmac: (key, text) => createHmac("sha256", key).update(text, "utf8").digest(),
  encrypt: (key, { nonce, text, additional }) => {
    const cipher = createCipheriv("aes-256-gcm", key, nonce);
    cipher.setAAD(Buffer.from(additional, "utf8"));
    const parts = [nonce, cipher.update(text, "utf8"), cipher.final(), cipher.getAuthTag()];
    return Buffer.concat(parts).toString("base64url");
  },
  decrypt: (key, { body, additional }) => {
    const bytes = Buffer.from(body, "base64url");
    const decipher = createDecipheriv("aes-256-gcm", key, bytes.subarray(0, 12));
    decipher.setAAD(Buffer.from(additional, "utf8"));
    decipher.setAuthTag(bytes.subarray(-16));
    try {
      const text = decipher.update(bytes.subarray(12, -16), undefined, "utf8");
      return text + decipher.final("utf8");
    } catch {
      return undefined;
    }
  },
};
