import { nameSchema } from "@tidemark/protocol/wire";
import type { DeviceKey } from "../platform/device-key.ts";
import { hostName, platformName, userName } from "../platform/program.ts";
import { safeText } from "../platform/terminal.ts";
import type { Newcomer } from "../sync/access/pairing.ts";
import type { Home } from "./home.ts";

/** What a person says about the device that opens a link. */
export interface OpenLinkOptions {
  readonly deviceName?: string;
  readonly userName?: string;
  readonly allowPlainLan: boolean;
  /** Gives the device up whose key no keychain gives, and pairs as a new one. */
  readonly isKeyGivenUp?: boolean;
}

/** Longest name that a server takes, in characters. */
const nameCharsMax = 64;

/** What this device says of itself when it asks to be let in. */
export function newcomerOf(home: Home, key: DeviceKey, options: OpenLinkOptions): Newcomer {
  const { env, scrub } = home;
  const user = options.userName ?? env["USER"] ?? env["LOGNAME"] ?? env["USERNAME"] ?? userName();
  return {
    deviceName: nameOf(scrub.text(options.deviceName ?? hostName()), "device"),
    userName: nameOf(scrub.text(user ?? ""), "me"),
    platform: nameOf(platformName(), "unknown"),
    publicJwk: key.publicJwk,
    thumbprint: key.thumbprint,
  };
}

function nameOf(text: string, fallback: string): string {
  const name = safeText(text, nameCharsMax).trim();
  return nameSchema.safeParse(name).success ? name : fallback;
}
