import { charClasses, isAt } from "../chars.ts";
import { isMadeUp } from "../checks/made-up.ts";
import type { Hit } from "../rule.ts";
import { noteNamed, type Scan, spend } from "../scan.ts";
import type { SecretName } from "../secret-name.ts";
import { isStrongWord } from "./command-value.ts";
import type { Named } from "./named-value.ts";

const lineCharsMax = 240;
const pathCharsMax = 96;
const echoed = (): RegExp =>
  /(?:^|[\s;&|"'(])(?:echo|printf) (?:-[neE]{1,3} )?(?:\\{0,7}(["'])([^"'\\\s]{4,128})\\{0,7}\1|([^\s"'`\\;|&<>]{4,128})) ?>{1,2} ?$/;

/** Notes what a command writes into a file that is named as a secret: `echo X > ~/.vault_pass`. */
export function noteRedirected(
  scan: Scan,
  { rule }: Hit,
  { start: nameStart }: Named,
  { family }: SecretName,
): void {
  const { text } = scan;
  const at = startOfPath(text, nameStart);
  if (at < 0) return;
  const from = Math.max(0, at - lineCharsMax);
  const window = text.slice(from, at);
  spend(scan, window.length);
  const line = window.slice(window.lastIndexOf("\n") + 1);
  const found = echoed().exec(line);
  const value = found?.[2] ?? found?.[3];
  if (found === null || value === undefined) return;
  if (!isStrongWord(value) && !(family === "password" && isMadeUp(value))) return;
  const start = at - line.length + found.index + found[0].lastIndexOf(value);
  const end = start + value.length;
  noteNamed(scan, { start, end, kind: "command_password", ruleId: rule.id, canonical: value });
}

/** Where the path that a name ends begins, if what is printed goes into it; else -1. */
function startOfPath(text: string, nameStart: number): number {
  let at = nameStart;
  while (nameStart - at < pathCharsMax && isPathChar(text, at - 1)) at--;
  return text[at - 1] === ">" || text[at - 2] === ">" ? at : -1;
}

function isPathChar(text: string, at: number): boolean {
  return isAt(text, at, charClasses.name) || "/~$".includes(text[at] ?? "x");
}
