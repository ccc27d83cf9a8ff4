import { fileURLToPath } from "node:url";
import { installPinned } from "../measure/npm-ci.ts";

/** Installs the peers in their own folder. Returns why it failed, where it did. */
export function installPeers(
  say: (line: string) => void,
  stop: AbortSignal,
): Promise<string | undefined> {
  return installPinned(
    {
      folder: fileURLToPath(new URL(".", import.meta.url)),
      notice: "installing the peers (the first time compiles SQLite: two to five minutes) …",
      hasScripts: true,
    },
    say,
    stop,
  );
}
