import type { Hit } from "../rule.ts";
import { noteNamed, type Scan, spend } from "../scan.ts";
import { isGiven, isStrongWord } from "./command-value.ts";

const afterCharsMax = 224;
/** `CONNECT sys/secret@db as sysdba`, with the word of RMAN for what is connected to. */
const slashed = (): RegExp =>
  /^(?:target |catalog |auxiliary )?"?[A-Za-z_][\w$#.-]{0,31}"?\/"?([^\s"'`@/\\;]{3,128})"?(?=@[\w/:.-]|\s{0,4}(?:[\r\n]|$)| as |;|\\+n|["']|$)/i;
/** `CONNECT TO db USER name USING secret`. */
const using = (): RegExp =>
  /^(?:to |reset )?[\w.:"'/-]{1,64} +user +["']?[\w.$#@\\-]{1,64}["']? +using +["']?([^\s"'`;\\]{3,128})/i;
/** `.LOGON machine/user,secret`. */
const logon = (): RegExp => /^(?:[\w.-]{1,64}\/)?[\w.$-]{1,64},"?([^\s"';\\]{3,128})/;
/** What a line of a client begins with. */
const lead = (): RegExp =>
  /(?:^|[\r\n"'`]|\\[nr]|(?:\b|\\[nrt])(?:SQL|RMAN|ij|db2|DB2|PDB\w*)> ?|[=>]> |\$ (?:\S+ )?|\bdb2 (?:-\w+ )*["']?|\bbteq )\s{0,8}$/i;

/** Finds the password with which a client of a database is told to connect. */
export function scanSqlConnect(scan: Scan, hit: Hit): void {
  const { text } = scan;
  spend(scan, 16);
  if (!lead().test(text.slice(Math.max(0, hit.start - 32), hit.start))) return;
  const rest = text.slice(hit.end, hit.end + afterCharsMax);
  const isLogon = text[hit.start] === ".";
  const found = (isLogon ? logon() : slashed()).exec(rest) ?? using().exec(rest);
  const value = found?.[1] ?? "";
  if (found === null || !(found[0].endsWith(value) && isSure(text, hit.end + found[0].length, isLogon || / using /i.test(found[0])) ? isGiven(value) : isStrongWord(value))) return; // prettier-ignore
  spend(scan, found[0].length);
  const start = hit.end + found[0].lastIndexOf(value);
  noteNamed(scan, { start, end: start + value.length, kind: hit.rule.kind, ruleId: hit.rule.id, rank: 1, canonical: value }); // prettier-ignore
}

/** A database follows, or the words before it leave no doubt. */
function isSure(text: string, end: number, isKnown: boolean): boolean {
  return isKnown || text[end] === "@" || /^ as sys/i.test(text.slice(end, end + 8));
}
