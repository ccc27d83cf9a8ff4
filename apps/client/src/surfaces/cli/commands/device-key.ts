import { ok } from "@tidemark/protocol";
import { keyPlaceText, readKeyPlace } from "../../../platform/key-file.ts";
import { isThere } from "../../../platform/settings-file.ts";
import { safeText } from "../../../platform/terminal.ts";
import type { Command, Outcome } from "../command.ts";
import type { CliDeps } from "../deps.ts";
import { misuse, trouble } from "../trouble.ts";

/** Says where this device's key is kept, and moves it. */
export const deviceKey: Command = {
  options: [{ flags: "--to <place>", help: "move it: keychain or file" }],
  notes:
    "A new device keeps its key in the keychain of the system where that takes it within two seconds,\n" +
    "else in a file that is open to you alone. From then on it stays where it is. A move that is cut\n" +
    "off loses nothing; ask again to finish it. `--to file` is for what runs where no keychain is\n" +
    "open, such as over SSH and in cron.",
  run: async (deps, call) => {
    const to = call.text("to");
    if (to === undefined) return keyOutput(deps, "");
    if (to !== "keychain" && to !== "file") {
      const message = `a key is kept in the keychain or in a file, not in ${to}`;
      return { ok: false, error: misuse(message, "tidemark device key --help") };
    }
    const { moveDeviceKey } = await import("../../../wiring/device-key.ts");
    const { hasMoved, isLeftBehind } = await moveDeviceKey(deps.home(), to);
    if (!hasMoved) return keyOutput(deps, "it is there already\n");
    const left = isLeftBehind ? "warning: the keychain has not let go of its copy\n" : "";
    return keyOutput(deps, `moved\n${left}`);
  },
};

function keyOutput(deps: CliDeps, before: string): Outcome {
  const { deviceKey: path } = deps.home().paths;
  const kept = readKeyPlace(path);
  if (kept === undefined) {
    // A paired device is not given another key over one that is gone or damaged (OPS46).
    const isLost = deps.home().identity() !== undefined || isThere(path);
    const hint = isLost ? "tidemark doctor" : "tidemark pair <link> makes it";
    const error = { code: "no-key", message: "this device has no key that can be used", hint };
    return { ok: false, error: trouble(error) };
  }
  const json = { ...kept, path: kept.place === "file" ? path : null };
  return ok({ json, text: `${before}device key: ${safeText(keyPlaceText(kept, path))}` });
}
