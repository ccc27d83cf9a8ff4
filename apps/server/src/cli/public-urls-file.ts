import { join } from "node:path";
import { makePrivateDir, readTextIfAny, writePrivateFile } from "../platform/files.ts";
import type { CommandDeps } from "./command-deps.ts";

/** Notes by which URLs the server on this data directory is reached, for commands beside it. */
export async function writePublicUrls(
  deps: CommandDeps,
  dataDir: string,
  urls: readonly string[],
): Promise<void> {
  await makePrivateDir(dataDir);
  await writePrivateFile(deps.random, pathIn(dataDir), `${JSON.stringify(urls)}\n`);
}

/** What {@link writePublicUrls} noted last; empty when no server has run here or the note is damaged. */
export async function readPublicUrls(dataDir: string): Promise<readonly string[]> {
  const text = await readTextIfAny(pathIn(dataDir));
  try {
    const urls: unknown = JSON.parse(text ?? "[]");
    return Array.isArray(urls) ? urls.filter((url) => typeof url === "string") : [];
  } catch {
    // Only a note, which the next start writes anew; --public-url outranks it.
    return [];
  }
}

function pathIn(dataDir: string): string {
  return join(dataDir, "public-urls.json");
}
