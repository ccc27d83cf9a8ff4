import {
  protocolVersion,
  protocolVersionOldest,
  versionHeader,
  type ErrorCode,
} from "@tidemark/protocol";
import type { Context } from "hono";
import type { AppEnv } from "../app-env.ts";

/** Says who must upgrade when client and server cannot talk (WR14); silence means version 1. */
export function versionError(c: Context<AppEnv>): ErrorCode | undefined {
  const text = c.req.header(versionHeader) ?? "1";
  if (!/^[1-9]\d{0,5}$/.test(text)) return "invalid";
  const version = Number(text);
  if (version < protocolVersionOldest) return "upgrade-client";
  return version > protocolVersion ? "upgrade-server" : undefined;
}
