/** The ciphers that sealing needs; passed in, because this package does no I/O. All are synchronous. */
export interface SealCipher {
  /** HMAC-SHA-256 over the UTF-8 bytes of a text (RFC 2104); 32 bytes. */
  hmac(key: Uint8Array, text: string): Uint8Array;
  /**
   * AES-256-GCM (RFC 5116 §5.2, NIST SP 800-38D) over the UTF-8 bytes of a text. Gives nonce,
   * ciphertext and the tag of 16 bytes, in this order, as base64url without padding.
   */
  encrypt(key: Uint8Array, sealing: Sealing): string;
  /** The text; undefined where body, additional data and key do not belong together. */
  decrypt(
    key: Uint8Array,
    sealed: { readonly body: string; readonly additional: string },
  ): string | undefined;
}

/** What is to be encrypted. */
export interface Sealing {
  /** 12 bytes. */
  readonly nonce: Uint8Array;
  readonly text: string;
  readonly additional: string;
}
