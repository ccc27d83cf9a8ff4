/**
 * Run by npm once the client's package is in place, from `dist/code-cache/`: compiles the programs for
 * the Node that is there. What hinders that makes no install fail, for they only start more slowly.
 */
import { fileURLToPath } from "node:url";
import { makeCaches } from "./make-caches.mjs";

try {
  makeCaches(fileURLToPath(new URL("..", import.meta.url)));
} catch (cause) {
  const why = cause instanceof Error ? cause.message : String(cause);
  process.stderr.write(`tidemark will start more slowly than it could: ${why}\n`);
}
