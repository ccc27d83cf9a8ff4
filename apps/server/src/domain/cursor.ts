import { fail, ok, type Result } from "@tidemark/protocol";

/** How far a replica has applied, and the newest head that it was told. */
export interface Cursor {
  /** Everything up to here was delivered. */
  readonly seq: number;
  /** The newest head told, at least `seq`; its mark proves that this server told it (MK2). */
  readonly head: number;
  readonly mark: string;
}

const version = 1;

/** Writes a cursor; opaque to clients. */
export function cursorText(cursor: Cursor): string {
  const { seq, head, mark } = cursor;
  return Buffer.from(JSON.stringify([version, seq, head, mark])).toString("base64url");
}

/** Reads a cursor that this server wrote. */
export function parseCursor(text: string): Result<Cursor, "invalid"> {
  const parts = parseJson(Buffer.from(text, "base64url").toString("utf8"));
  if (!Array.isArray(parts) || parts.length !== 4 || parts[0] !== version) return fail("invalid");
  const [, seq, head, mark] = parts as readonly unknown[];
  if (!isPlace(seq) || !isPlace(head) || typeof mark !== "string") return fail("invalid");
  if (seq > head || cursorText({ seq, head, mark }) !== text) return fail("invalid");
  return ok({ seq, head, mark });
}

function isPlace(value: unknown): value is number {
  return typeof value === "number" && Number.isSafeInteger(value) && value >= 0;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
