import {
  base32,
  isObject,
  type JsonValue,
  type NamespaceId,
  type Sha256,
} from "@tidemark/protocol";
import type { SealingDevice } from "@tidemark/protocol/wire";
import type { JWK } from "jose";
import { signText, verifyText } from "./signed-text.ts";

const statementType = "tidemark-sealing-key+jws";
const fingerprintGroups = 5;
const groupChars = 4;

/** Who a device is, by its keys: what people compare, and what a log names. */
export interface DeviceKeys {
  readonly device: string;
  readonly user: string;
  /** Its Ed25519 key and its X25519 key, base64url. */
  readonly sig: string;
  readonly enc: string;
}

/** What a device says to whoever came in by a link of its (EE22). */
export interface StatedVouch {
  readonly link: string;
  /** Over the device's keys, under what only the two devices of the link have; base64url. */
  readonly mac: string;
}

/** What a device has stated. */
export interface Statement {
  readonly keys: DeviceKeys;
  readonly vouches: readonly StatedVouch[];
}

/**
 * Says by a device's own key whose it is and which key it takes wraps under, so that no server can
 * name another of either (EE13).
 */
export async function makeStatement(
  jwk: JWK,
  { device, user, enc }: Pick<DeviceKeys, "device" | "user" | "enc">,
  vouches: readonly StatedVouch[] = [],
): Promise<string> {
  const spoken = vouches.length === 0 ? {} : { vouches };
  return await signText(jwk, { type: statementType, payload: { device, user, enc, ...spoken } });
}

/** The keys that a device has stated; undefined where its statement is not its own. */
export async function statedKeys(told: SealingDevice): Promise<DeviceKeys | undefined> {
  return (await readStatement(told))?.keys;
}

/** What a device has stated; undefined where its statement is not its own. */
export async function readStatement(told: SealingDevice): Promise<Statement | undefined> {
  const sig = told.key.x;
  const text = await verifyText(told.sealingKey, { type: statementType, sig });
  const body = text === undefined ? undefined : (JSON.parse(text) as JsonValue);
  if (!isObject(body) || body["device"] !== told.id || body["user"] !== told.user) return undefined;
  const { enc } = body;
  if (typeof enc !== "string" || !/^[\w-]{43}$/.test(enc)) return undefined;
  const keys = { device: told.id, user: told.user, sig, enc };
  return { keys, vouches: vouchesIn(body["vouches"]) };
}

function vouchesIn(told: JsonValue | undefined): readonly StatedVouch[] {
  if (!Array.isArray(told)) return [];
  return told.flatMap((one): readonly StatedVouch[] => {
    const { link, mac } = isObject(one) ? one : {};
    return typeof link === "string" && typeof mac === "string" ? [{ link, mac }] : [];
  });
}

/**
 * What people compare to know a device by its keys: 100 bits of their hash, as five groups of four
 * (EE14). Nobody finds two pairs of keys with the same one. Of which namespace and whose device it is
 * stands in it, so that a server can neither give out a namespace of its own for it nor a device of
 * somebody else's.
 */
export function fingerprint(
  sha256: Sha256,
  namespace: NamespaceId,
  { device, user, sig, enc }: DeviceKeys,
): string {
  const said = ["tidemark device 1", namespace, device, user, sig, enc].join("\n");
  const text = base32(sha256(said));
  const groups = Array.from({ length: fingerprintGroups }, (_, at) =>
    text.slice(at * groupChars, (at + 1) * groupChars),
  );
  return groups.join("-");
}

/** Whether what somebody typed is a fingerprint, however they wrote its groups. */
export function isFingerprint(typed: string, wanted: string): boolean {
  const plain = (text: string): string => text.toLowerCase().replaceAll(/[\s-]/g, "");
  return plain(typed) === plain(wanted);
}
