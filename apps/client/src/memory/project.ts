import { base32 } from "@tidemark/protocol";
import { projectOf } from "../capture/project.ts";
import type { KeyedHmac } from "./scrub.ts";

/** Where a session works, as far as files tell. */
export interface WorkPlace {
  readonly root: string;
  readonly remote?: string;
}

/** What tells one project from another. */
export interface ProjectDeps {
  /** The working copy around a folder. */
  readonly workPlaceOf: (folder: string) => WorkPlace | undefined;
  /** From {@link deviceMark}. */
  readonly deviceMark: string;
}

/**
 * Names this device in the identity of projects without a remote (CP52), the same before and after
 * pairing; it follows from the device's own scrub key, so no two machines share it.
 */
export function deviceMark(scrubKey: Uint8Array, hmac: KeyedHmac): string {
  return base32(hmac(scrubKey, "tidemark device mark v1").subarray(0, 8));
}

/**
 * The identity of the project that a folder belongs to. `fallback` is the folder that counts where
 * no working copy is found, such as the one a session was started in.
 */
export function projectAt(deps: ProjectDeps, folder: string, fallback: string = folder): string {
  const place = deps.workPlaceOf(folder);
  const remote = place?.remote === undefined ? {} : { remote: place.remote };
  return projectOf({ path: place?.root ?? fallback, deviceId: deps.deviceMark, ...remote });
}
