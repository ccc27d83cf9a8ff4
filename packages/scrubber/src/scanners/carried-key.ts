import { looksRandom } from "../checks/randomness.ts";
import type { Hit } from "../rule.ts";
import { noteNamed, type Scan, spend } from "../scan.ts";
import { isGiven, isStrongWord } from "./command-value.ts";

const charsMax = 320;

/** Finds the password of a wireless network in the text that a QR code holds. */
export function scanWifiCode(scan: Scan, hit: Hit): void {
  const window = scan.text.slice(hit.end, hit.end + charsMax);
  spend(scan, 48);
  const found = /^(?:[THRISE]:(?:\\.|[^;\n\\]){0,64};){0,5}P:((?:\\{1,3}[;,:"\\]|[^;\n\\"]){8,128})(?:;|$)/.exec(window); // prettier-ignore
  const value = found?.[1] ?? "";
  if (found === null || !isGiven(value)) return;
  const start = hit.end + found[0].lastIndexOf(value);
  note(scan, hit, start, value);
}

/** The last part of an address to which video is sent: whoever has it sends in another's name. */
const streamed = (): RegExp =>
  /^(?:[^\s"'`<>\\/]{1,128})\/(?:[\w.~%-]{1,64}\/){1,3}(?:\?[^\s"'`<>\\]{0,16}=)?([\w~.%-]{10,160}(?:\?[\w=&%-]{1,160})?)(?=[\s"'`<>\\|,;)]|$)/;

export function scanStreamKey(scan: Scan, hit: Hit): void {
  const window = scan.text.slice(hit.end, hit.end + charsMax);
  const found = streamed().exec(window);
  spend(scan, 32);
  const key = found?.[1] ?? "";
  if (found === null || !isStreamKey(key)) return;
  note(scan, hit, hit.end + found[0].length - key.length, key);
}

/** Groups of four, numbers and drawn letters; but no name of a stream or of a file. */
function isStreamKey(key: string): boolean {
  if (/^(?:[a-z\d]{4}-){3,4}[a-z\d]{4}$/.test(key)) return /\d/.test(key);
  return !/\.(?:mp4|flv|m3u8|ts|sdp)$/i.test(key) && isDrawnKey(key.replace(/\?.*$/, ""));
}

function isDrawnKey(key: string): boolean {
  return isStrongWord(key) && (key.length >= 16 || looksRandom(key));
}

function note(scan: Scan, { rule }: Hit, start: number, value: string): void {
  const end = start + value.length;
  noteNamed(scan, { start, end, kind: rule.kind, ruleId: rule.id, rank: 1, canonical: value });
}

/** Finds the hash that MySQL stores of a password: a star and 40 digits in capitals. */
export function scanMysqlHash(scan: Scan, hit: Hit): void {
  spend(scan, 8);
  const hash = /^[\dA-F]{40}(?![\dA-Za-z])/.exec(scan.text.slice(hit.end, hit.end + 41))?.[0];
  if (hash !== undefined) note(scan, hit, hit.end, hash);
}

/** What a service for nicknames is told, with the words of which the last is the password. */
const told = (): RegExp =>
  /^(?:[^\s:]{0,48}[ \t]{1,4})?:?(?:IDENTIFY|REGISTER|GHOST|RECOVER|RELEASE|REGAIN|SET PASSWORD|SETPASS|AUTH|LOGIN)((?: [!-~]{1,96}){1,3})/i;

/** Finds the password that a user of a chat tells the service for nicknames. */
export function scanNickname(scan: Scan, hit: Hit): void {
  const said = told().exec(scan.text.slice(hit.end, hit.end + charsMax));
  spend(scan, 24);
  if (said === null) return;
  const words = (said[1] as string)
    .replace(/(?:\\+[nr]|["'`,]).*$/, "")
    .split(" ")
    .slice(1);
  const isAddress = (word: string): boolean => word.includes("@") && word.includes(".");
  const value = words.findLast((word) => !isAddress(word)) ?? "";
  if (!isGiven(value) || /^[a-z]{1,10}$|^<|^\[/i.test(value)) return;
  note(scan, hit, hit.end + said[0].lastIndexOf(` ${value}`) + 1, value);
}
