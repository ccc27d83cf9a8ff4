import type { SealCipher } from "@tidemark/protocol";
import { builtin } from "./builtin.ts";

const algorithm = "aes-256-gcm";
const nonceBytes = 12;
const tagBytes = 16;

/** Node's own ciphers; loaded when something is sealed or opened, and not before. */
export const sealCipher: SealCipher = {
  hmac: (key, text) => builtin.crypto().createHmac("sha256", key).update(text, "utf8").digest(),
  encrypt: (key, { nonce, text, additional }) => {
    const cipher = builtin.crypto().createCipheriv(algorithm, key, nonce);
    cipher.setAAD(Buffer.from(additional, "utf8"));
    const parts = [nonce, cipher.update(text, "utf8"), cipher.final(), cipher.getAuthTag()];
    return Buffer.concat(parts).toString("base64url");
  },
  decrypt: (key, { body, additional }) => {
    const bytes = Buffer.from(body, "base64url");
    // Other spellings of one text would be other bytes to a digest and the same to its reader.
    if (bytes.length < nonceBytes + tagBytes || bytes.toString("base64url") !== body)
      return undefined;
    const nonce = bytes.subarray(0, nonceBytes);
    const decipher = builtin.crypto().createDecipheriv(algorithm, key, nonce, {
      authTagLength: tagBytes,
    });
    decipher.setAAD(Buffer.from(additional, "utf8"));
    decipher.setAuthTag(bytes.subarray(-tagBytes));
    try {
      const open = [decipher.update(bytes.subarray(nonceBytes, -tagBytes)), decipher.final()];
      return Buffer.concat(open).toString("utf8");
    } catch {
      return undefined;
    }
  },
};
