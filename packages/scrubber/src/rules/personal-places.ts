import { machineCheck } from "../checks/national-ids.ts";
import { charClasses, isAt } from "../chars.ts";
import { endsEscape, skipEscapeTail } from "../escapes.ts";
import type { PlaceRule, PlaceSpan } from "../personal-rule.ts";

const digits = "0123456789";
const capitals = "ABCDEFGHIJKLMNOPQRSTUVWXYZ";
const hexDigits = `${digits}abcdefABCDEF`;

const keptMailboxes = (): RegExp =>
  /^(?:git|no-?reply|do-?not-?reply|noreply.*|mailer-daemon|postmaster|hg)$/i;
const keptDomains = (): RegExp =>
  /(?:^|\.)(?:example|test|invalid|localhost|local)(?:\.\w+)?$|^(?:your|my|some|our)?-?(?:domain|company|organi[sz]ation|org|site|email|host|server|app|acme|foo|bar)\.\w+$|noreply|\.(?:png|jpe?g|svg|gif|webp|[cm]?[jt]sx?|css|json|md|lock|tgz)$/i;
const remoteLogin = (): RegExp => /(?:\b(?:ssh|scp|sftp|rsync|mosh)\s[^\n]{0,40}|:\/\/[^\s/]*)$/;

/** What mail programs number messages with, which is no mailbox. */
const numbered = (): RegExp =>
  /(?:Message-ID|In-Reply-To|References|Content-ID): ?(?:<[^<>\n]*> ?){0,2}<$/i;

function isNoMailbox(before: string): boolean {
  return remoteLogin().test(before) || numbered().test(before);
}

function findEmail(text: string, at: number): PlaceSpan | undefined {
  let start = at;
  while (start > 0 && at - start < 64 && /[\w.+-]/.test(text[start - 1] ?? "")) start--;
  start = skipEscapeTail(text, start, at);
  const mailbox = text.slice(start, at);
  const domain = /^(?:[A-Za-z0-9](?:[A-Za-z0-9-]{0,62}[A-Za-z0-9])?\.){1,5}[A-Za-z]{2,24}/.exec(
    text.slice(at + 1, at + 128),
  )?.[0];
  if (domain === undefined || !/[A-Za-z]/.test(mailbox) || keptMailboxes().test(mailbox)) return;
  const end = at + 1 + domain.length;
  // `user@host:path` and what follows `ssh` is a machine, not a mailbox.
  if (keptDomains().test(domain) || /^:[/~\w]/.test(text.slice(end, end + 2))) return;
  const before = text.slice(Math.max(0, start - 48), start);
  return isNoMailbox(before) ? undefined : { start, end };
}

const international = (): RegExp => /^\+[1-9]\d{0,2}(?:[ .()/-]{0,2}\d{1,5}){2,6}/;
const american = (): RegExp => /^\(\d{3}\) ?\d{3}[-. ]\d{4}/;
const trunk = (): RegExp => /^\(?0\d{1,5}\)?(?:(?: [/-] |[ /-])\d{2,8}){1,4}/;
const national = (): RegExp => /^\d{1,5}(?:[ .()/-]{0,2}\d{2,5}){1,5}/;

function findPhone(text: string, at: number): PlaceSpan | undefined {
  if (!startsNumber(text, at)) return undefined;
  const window = text.slice(at, at + 28);
  if (isNoPhone(text, at, window)) return undefined;
  const sure = international().exec(window) ?? american().exec(window);
  const [found = ""] = sure ?? trunk().exec(window) ?? national().exec(window) ?? [];
  const end = at + found.length;
  const isNumber = hasPhoneDigits(found) && !isAt(text, end, charClasses.alnum);
  return isNumber ? { start: at, end, isSure: sure !== null } : undefined;
}

/** A date, a number kept for films and books, or a line that a diff adds. */
function isNoPhone(text: string, at: number, window: string): boolean {
  if (/^\+?(?:\d{4}-\d\d-\d\d|\d{1,3}[ .-]?\d{0,3}[ .-]?555[ .-]?01\d\d\b)/.test(window))
    return true;
  if (/^\+?1?[ .(-]{0,2}(?:\d{3}[ .)-]{1,2})?555[ .-]?01\d\d(?!\d)/.test(window)) return true;
  if (window[0] !== "+") return false;
  const before = text.slice(Math.max(0, at - 200), at);
  return (
    /(?:^|\n|\\n)(?:@@|[+-]|diff )[^\n]{0,160}(?:\n|\\n)$/.test(before) &&
    /^\+\d{4,}(?!\d)/.test(window)
  );
}

/** Nothing stands before it that makes it a term of a sum, or a part of a longer number. */
function startsNumber(text: string, at: number): boolean {
  const before = text[at - 1];
  if (before === undefined || " \t\r\n\"'`(:=>;|/".includes(before)) return true;
  if (before === "," && text[at] === "+") return true;
  return isAt(text, at - 1, charClasses.alnum) && endsEscape(text, at);
}

function hasPhoneDigits(written: string): boolean {
  const count = written.replaceAll(/\D/g, "").length;
  return count >= 7 && count <= 15;
}

/** Fits a form at the start of a word of the text. */
function fitting(form: () => RegExp, charsMax: number): PlaceRule["find"] {
  return (text, at) => {
    if (isAt(text, at - 1, charClasses.dotted)) return undefined;
    const found = form().exec(text.slice(at, at + charsMax))?.[0];
    if (found === undefined) return undefined;
    const end = at + found.length;
    return isAt(text, end, charClasses.alnum) ? undefined : { start: at, end };
  };
}

const innerAddress = (): RegExp =>
  /^(?:0|10|127|22[4-9]|23\d|24\d|25\d)\.|^169\.254\.|^192\.168\.|^192\.0\.2\.|^198\.51\.100\.|^203\.0\.113\.|^172\.(?:1[6-9]|2\d|3[01])\.|^(?:1\.1\.1\.1|8\.8\.8\.8)$/;
const findAddress = fitting(
  () => /^(?:(?:25[0-5]|2[0-4]\d|1?\d?\d)\.){3}(?:25[0-5]|2[0-4]\d|1?\d?\d)(?![.\d])/,
  16,
);

function findPublicAddress(text: string, at: number): PlaceSpan | undefined {
  const found = findAddress(text, at);
  return found && innerAddress().test(text.slice(found.start, found.end)) ? undefined : found;
}

const home = (): RegExp => /^(?:\/home\/|\/Users\/|\\+Users\\+)([\w.-]{2,32})(?=[/\\]|["'\s]|$)/;
const sharedHomes = (): RegExp =>
  /^(?:root|user|users|runner|ubuntu|node|app|shared|public|default|vscode|linuxbrew|circleci|travis|ec2-user|admin|me|you|username|name)$/i;

function findHomeUser(text: string, at: number): PlaceSpan | undefined {
  const found = home().exec(text.slice(at, at + 56));
  const [whole = "", user = ""] = found ?? [];
  if (user === "" || sharedHomes().test(user)) return undefined;
  return { start: at + whole.length - user.length, end: at + whole.length };
}

const machineLine = (): RegExp => /^[A-Z0-9<]{30,44}/;

/** A line of a passport or an id card: names between fillers, or numbers with check digits. */
function findMachineLine(text: string, at: number): PlaceSpan | undefined {
  if (isAt(text, at - 1, charClasses.alnum) || text[at - 1] === "<") return undefined;
  const line = machineLine().exec(text.slice(at, at + 45))?.[0] ?? "";
  const isWhole = line.length === 30 || line.length === 36 || line.length === 44;
  if (!isWhole || !line.includes("<")) return undefined;
  const isNames = /^(?:[PIACV][A-Z<][A-Z]{3})?[A-Z]+(?:<[A-Z]+)*<<[A-Z<]+$/.test(line);
  return isNames || hasMachineChecks(line) ? { start: at, end: at + line.length } : undefined;
}

/** Whether the check digits after number, birth and expiry hold, wherever the line has them. */
function hasMachineChecks(line: string): boolean {
  const holds = (start: number, end: number): boolean =>
    machineCheck(line.slice(start, end)) === Number(line[end]);
  if (line.length > 30) return holds(0, 9) && holds(13, 19) && holds(21, 27);
  return holds(5, 14) || (holds(0, 6) && holds(8, 14));
}

const findMac = fitting(
  () => /^[0-9A-Fa-f]{2}(?:(?::[0-9A-Fa-f]{2}){5}|(?:-[0-9A-Fa-f]{2}){5})(?![:-])/,
  18,
);

/** A longer row of pairs is a fingerprint. */
function findMacAddress(text: string, at: number): PlaceSpan | undefined {
  const isInside = text[at - 1] === ":" && isAt(text, at - 2, charClasses.anyHex);
  return isInside ? undefined : findMac(text, at);
}

const position = (): RegExp => /^-?\d{1,3}\.\d{4,9}[,;]? ?(?:, ?)?-?\d{1,3}\.\d{4,9}/;
const coordinate = (): RegExp => /^-?\d{1,3}\.\d{4,9}/;

/** Two coordinates are a position under weaker words than one. */
const placeWords = ["location", "geo", "latlng", "latlon", "whereabouts"];

function findPosition(text: string, at: number): PlaceSpan | undefined {
  const pair = fitting(position, 40)(text, at);
  return pair === undefined ? fitting(coordinate, 20)(text, at) : { ...pair, labels: placeWords };
}

/** What people and forms call a phone and its number. */
const phoneLabels =
  "phone|telephone|tel|mobile|cell|fax|whatsapp|telefon|handy|téléphone|teléfono|móvil|celular|telemóvel|telefone|cellulare|puhelin|telefoon|電話|携帯|电话|手机|手機|전화|휴대폰|телефон|โทร";

/** Personal data that has no number's form; `asked` ones are found only if named. */
export const placeRules = (): readonly PlaceRule[] => [
  {
    kind: "email",
    priority: 3,
    source: "https://www.rfc-editor.org/rfc/rfc5322#section-3.4.1",
    at: "@",
    find: findEmail,
  },
  {
    kind: "phone",
    priority: 3,
    source: "https://www.itu.int/rec/T-REC-E.164",
    at: `+(${digits}`,
    find: findPhone,
    labels: phoneLabels.split("|"),
  },
  {
    kind: "passport_lines",
    priority: 3,
    source: "https://www.icao.int/publications/doc-series/doc-9303",
    at: capitals + digits,
    find: findMachineLine,
  },
  {
    kind: "birth_date",
    priority: 3,
    source: "https://www.iso.org/iso-8601-date-and-time-format.html",
    at: digits,
    find: fitting(
      () => /^(?:\d{4}[-./]\d{1,2}[-./]\d{1,2}|\d{1,2}[-./]\d{1,2}[-./](?:\d{4}|\d{2}))/,
      12,
    ),
    labels: ["date of birth", "birth date", "birthday", "dob", "born", "geburtsdatum", "geboren", "date de naissance", "fecha de nacimiento", "birth"], // prettier-ignore
  },
  {
    kind: "gps_position",
    priority: 3,
    source: "https://www.rfc-editor.org/rfc/rfc5870",
    at: `-${digits}`,
    find: findPosition,
    labels: ["gps", "latitude", "longitude", "lat", "lon", "lng", "coordinates", "geolocation"],
  },
  {
    kind: "home_user",
    priority: 3,
    source: "https://refspecs.linuxfoundation.org/FHS_3.0/fhs/ch03s08.html",
    at: "/\\",
    find: findHomeUser,
    asked: true,
  },
  {
    kind: "ip_address",
    priority: 3,
    source: "https://www.rfc-editor.org/rfc/rfc6890",
    at: digits,
    find: findPublicAddress,
    asked: true,
  },
  {
    kind: "mac_address",
    priority: 3,
    source: "https://standards.ieee.org/products-programs/regauth/",
    at: hexDigits,
    find: findMacAddress,
    asked: true,
  },
];
