/** A key that signs access tokens, as the database has it. */
export interface SigningKeyRow {
  readonly kid: string;
  /** The public JWK as JSON text; with the private part where `status` is `active`. */
  readonly jwk: string;
  /**
   * `next` is published and waits, `signing` signs, `retiring` verifies what it has signed.
   * `active` is the key in plain of a server of before.
   */
  readonly status: "next" | "signing" | "retiring" | "active";
  readonly createdAtMs: number;
  /** The private JWK as a vault has sealed it. */
  readonly sealed?: string | undefined;
  /** The master key of that vault. */
  readonly master?: string | undefined;
  /** When the status ends: `next` takes over, `signing` gives way, `retiring` is gone. */
  readonly untilMs?: number | undefined;
}
