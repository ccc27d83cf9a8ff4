import {
  base32,
  deviceId,
  fail,
  namespaceId,
  ok,
  userId,
  type ErrorCode,
  type Result,
} from "@tidemark/protocol";
import type { Admission, NewDevice } from "@tidemark/protocol/wire";
import { canonicalKey } from "../auth/thumbprint.ts";
import type {
  AdmissionError,
  AdmittedDevice,
  AdmittedPair,
  AdmittedUser,
} from "../store/accounts-port.ts";

interface Ids {
  readonly random: { bytes(count: number): Uint8Array };
}

/** What a personal namespace is called at first. */
const personalName = "personal";

/** A device as it is admitted: its key in the one canonical spelling, under an id of our own. */
export async function admittedDevice(
  deps: Ids,
  device: NewDevice,
): Promise<Result<AdmittedDevice, "invalid">> {
  const key = await canonicalKey(device.key);
  if (!key.ok) return fail("invalid");
  const { name, platform } = device;
  return ok({ id: deviceId(deps.random.bytes(16)), name, platform, ...key.value });
}

/** A person as they are admitted, with a personal namespace. */
export function admittedUser(deps: Ids, name: string): AdmittedUser {
  return {
    id: userId(deps.random.bytes(16)),
    name,
    personal: {
      id: namespaceId(deps.random.bytes(16)),
      name: personalName,
      mark: createMark(deps),
    },
  };
}

/** The mark of a namespace that is still empty. */
export function createMark(deps: Ids): string {
  return base32(deps.random.bytes(16));
}

/** The answer to setup and join. */
export function admission(serverId: string, pair: AdmittedPair): Admission {
  return { server: { id: serverId }, ...pair };
}

/** The error code of a refused admission. */
export function admissionCode(error: AdmissionError): ErrorCode {
  switch (error.kind) {
    case "invalid-or-expired":
      return "invalid-or-expired";
    case "already-claimed":
      return "already-claimed";
    case "key-in-use":
      return "conflict";
    case "user-name-needed":
      return "invalid";
  }
}
