import { isId } from "../ids.ts";
import { isObject, type JsonObject, type JsonValue } from "../json.ts";

/** A device and its keys, as an entry of the log names them. */
export interface LogKeys {
  readonly device: string;
  readonly user: string;
  /** Its Ed25519 key and its X25519 key, base64url. */
  readonly sig: string;
  readonly enc: string;
}

/** An admin's device lets others in and shuts them out; any other lets in those of its own person. */
export type LogRole = "admin" | "member";

/** What an entry of a membership log says; `by` is the device that signs it. */
export type LogBody =
  | {
      readonly kind: "genesis";
      readonly keys: LogKeys;
      /** What makes two namespaces of one device two. */
      readonly nonce: string;
      /** What the key of the first epoch hashes to. */
      readonly commit: string;
    }
  | (LogHead & {
      readonly kind: "admit";
      readonly keys: LogKeys;
      readonly role: LogRole;
    })
  | (LogHead & { readonly kind: "remove"; readonly device: string })
  | (LogHead & {
      readonly kind: "epoch";
      readonly epoch: number;
      readonly commit: string;
      /** What its key follows from, beside a secret of the device; undefined where it was drawn. */
      readonly nonce?: string | undefined;
    });

interface LogHead {
  /** Hash of the entry before it. */
  readonly prev: string;
  readonly by: string;
}

/** Reads what an entry says; undefined where it is nothing of ours. */
export function parseLogBody(text: string | undefined): LogBody | undefined {
  const body = text === undefined ? undefined : parseObject(text);
  if (body === undefined) return undefined;
  if (body["kind"] === "genesis") return parseGenesis(body);
  const { prev, by } = body;
  if (!isHash(prev) || !isIdText(by)) return undefined;
  return parseNext(body, { prev, by });
}

function parseGenesis({ keys: told, nonce, commit }: JsonObject): LogBody | undefined {
  const keys = parseKeys(told);
  if (keys === undefined || !isIdText(nonce) || !isHash(commit)) return undefined;
  return { kind: "genesis", keys, nonce, commit };
}

function parseNext(body: JsonObject, head: LogHead): LogBody | undefined {
  const { kind, keys: told, role, device, epoch, commit, nonce } = body;
  const keys = parseKeys(told);
  if (kind === "admit" && keys !== undefined && (role === "admin" || role === "member")) {
    return { ...head, kind, keys, role };
  }
  if (kind === "remove" && isIdText(device)) return { ...head, kind, device };
  if (kind === "epoch" && Number.isSafeInteger(epoch) && isHash(commit)) {
    const from = isIdText(nonce) ? nonce : undefined;
    return { ...head, kind, epoch: epoch as number, commit, nonce: from };
  }
  return undefined;
}

function parseKeys(value: JsonValue | undefined): LogKeys | undefined {
  if (!isObject(value)) return undefined;
  const { device, user, sig, enc } = value;
  if (!isIdText(device) || !isIdText(user) || !isKey(sig) || !isKey(enc)) return undefined;
  return { device, user, sig, enc };
}

function isIdText(value: JsonValue | undefined): value is string {
  return typeof value === "string" && isId(value);
}

function isHash(value: JsonValue | undefined): value is string {
  return typeof value === "string" && /^[0-9a-f]{64}$/.test(value);
}

/** 32 bytes as base64url. */
function isKey(value: JsonValue | undefined): value is string {
  return typeof value === "string" && /^[0-9A-Za-z_-]{43}$/.test(value);
}

function parseObject(text: string): JsonObject | undefined {
  try {
    const parsed = JSON.parse(text) as JsonValue;
    return isObject(parsed) ? parsed : undefined;
  } catch {
    return undefined;
  }
}
