import { builtin } from "./builtin.ts";
import type { Environment } from "./paths.ts";
import { replacePrivateFile } from "./private-file.ts";

/**
 * Opens a page in the person's browser, where this machine seems to have one. The address goes
 * there by a file that only they can read: a program's arguments are for everybody on the machine.
 *
 * @param file where that file is written
 * @returns false where there is no browser, or the system refuses
 */
export function openBrowser(url: string, file: string, env: Environment): boolean {
  const opener = openerOf(process.platform, env);
  if (opener === undefined) return false;
  const [program, ...args] = opener;
  if (program === undefined || !replacePrivateFile(file, pageTo(url)).ok) return false;
  try {
    const child = builtin.childProcess().spawn(program, [...args, file], {
      detached: true,
      stdio: "ignore",
      windowsHide: true,
    });
    child.on("error", () => undefined);
    child.unref();
    return child.pid !== undefined;
  } catch {
    return false;
  }
}

/** What opens a file for people; undefined where nobody sits before a screen. */
export function openerOf(platform: string, env: Environment): readonly string[] | undefined {
  if (env["SSH_CONNECTION"] !== undefined) return undefined;
  if (platform === "darwin") return ["open"];
  if (platform === "win32") return ["explorer.exe"];
  const hasScreen = (env["DISPLAY"] ?? env["WAYLAND_DISPLAY"] ?? "") !== "";
  return hasScreen ? ["xdg-open"] : undefined;
}

/** A page that leads on at once; the address was made by us and holds nothing that HTML reads. */
function pageTo(url: string): string {
  const address = new URL(url).href.replaceAll("&", "&amp;").replaceAll('"', "&quot;");
  return `<!doctype html><meta http-equiv="refresh" content="0;url=${address}"><title>Tidemark</title>\n`;
}
