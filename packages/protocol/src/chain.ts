import { sha256Hex, type Sha256 } from "./hash.ts";
import type { WriterId } from "./ids.ts";

/**
 * A writer's running hash before its first op (CH1). It names the writer, so chains of two
 * incarnations of one store never look alike.
 */
export function chainStart(sha256: Sha256, writer: WriterId): string {
  return sha256Hex(sha256, `tidemark chain\n${writer}`);
}

/** The running hash after one more op line (CH1): SHA-256 over the hash so far and the line's bytes. */
export function chainNext(sha256: Sha256, chain: string, line: string): string {
  return sha256Hex(sha256, `${chain}\n${line}`);
}
