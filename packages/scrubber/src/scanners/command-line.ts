import type { Hit } from "../rule.ts";
import { noteNamed, type Scan, spend } from "../scan.ts";
import { quoteAt, readQuoted, readValue, type ValueSpan } from "../value.ts";
import { skipGap } from "./separator.ts";

const commandCharsMax = 160;
const reference = /^(?:\$|%|<|\{|\*{2,}|-|x{3,}$|…|\.{3}|your|pass(?:word)?$|secret$|token$)/i;

/** Finds `user:password` after `curl -u`, `--user`, `--proxy-user`. */
export function scanUserFlag(scan: Scan, hit: Hit): void {
  if (!isAfterCommand(scan, hit.start, /\b(?:curl|https?|wget|ab)\b/)) return;
  const span = readValue(scan, skipGap(scan.text, hit.end));
  const colonAt = span.value.indexOf(":");
  if (colonAt < 0 || scan.text[span.start + colonAt] !== ":") return;
  noteFlag(scan, hit, {
    ...span,
    start: span.start + colonAt + 1,
    value: span.value.slice(colonAt + 1),
  });
}

/** Finds the value of a short password flag, with or without a blank before it. */
export function scanPasswordFlag(scan: Scan, hit: Hit): void {
  const command = commandBefore(scan, hit.start);
  const isAttached = /\b(?:mysql(?:dump|admin|import)?|mariadb(?:-dump|-admin)?|sshpass)\b/.test(
    command,
  );
  const isApart =
    /\b(?:sshpass|docker +login|podman +login|helm +registry +login|az +login|zip|7z|unzip|mongo(?:sh|dump|restore)?|sqlcmd|ldap(?:search|add|modify)|htpasswd)\b/.test(
      command,
    );
  const isBlank = scan.text[hit.end] === " ";
  if (isBlank ? !isApart : !isAttached) return;
  noteFlag(scan, hit, readValue(scan, skipGap(scan.text, hit.end)));
}

/** Finds the value of a flag that holds a password for one or two commands only. */
export function scanRareFlag(scan: Scan, hit: Hit): void {
  if (!isAfterCommand(scan, hit.end, /\b(?:redis-cli|ssh-keygen|vault)\b/)) return;
  noteFlag(scan, hit, readValue(scan, skipGap(scan.text, hit.end)));
}

/** Finds the word that is piped into `--password-stdin`. */
export function scanPipedPassword(scan: Scan, hit: Hit): void {
  const command = commandBefore(scan, hit.start);
  const echoed = /\b(?:echo|printf)(?: -n| -e)* +(?=\S[^|]*\|[^|]*$)/.exec(command);
  if (echoed === null) return;
  noteFlag(
    scan,
    hit,
    readValue(scan, hit.start - command.length + echoed.index + echoed[0].length),
  );
}

/** Finds the quoted password after words that announce one (`IDENTIFIED BY '…'`). */
export function scanAnnounced(scan: Scan, hit: Hit): void {
  const at = skipGap(scan.text, hit.end);
  const quote = quoteAt(scan.text, at);
  if (quote !== undefined && quote.char !== "`") noteFlag(scan, hit, readQuoted(scan, at, quote));
}

function noteFlag(scan: Scan, hit: Hit, span: ValueSpan): void {
  if (span.value.length < 3 || reference.test(span.value)) return;
  noteNamed(scan, {
    start: span.start,
    end: span.end,
    kind: hit.rule.kind,
    ruleId: hit.rule.id,
    canonical: span.value,
  });
}

function isAfterCommand(scan: Scan, at: number, command: RegExp): boolean {
  return command.test(commandBefore(scan, at));
}

/** The command up to here: back to the line's start, raw or escaped, at most {@link commandCharsMax} long. */
function commandBefore(scan: Scan, at: number): string {
  const window = scan.text.slice(Math.max(0, at - commandCharsMax), at);
  spend(scan, 16);
  const line = window.slice(window.lastIndexOf("\n") + 1);
  const escaped = line.lastIndexOf("\\n");
  return escaped < 0 ? line : line.slice(escaped + 2);
}
