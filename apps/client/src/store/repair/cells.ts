import { longAt, wordAt, type PageImage } from "./page-image.ts";

/** A value of a row as it stands on a page. */
export type CellValue = string | number | null | Uint8Array;

/** A row with its place in its table; entries of an index have none. */
export interface CellRow {
  readonly rowid: number;
  readonly values: readonly CellValue[];
}

/** What a leaf or inner page of a tree holds; undefined for any other page, and for a ruined one. */
export interface TreePage {
  readonly kind: "table-leaf" | "table-inner" | "index-leaf" | "index-inner";
  /** Pages below this one. */
  readonly children: readonly number[];
  /** Rows of a table or entries of an index. */
  readonly rows: readonly CellRow[];
  /** Cells that cannot be read. */
  readonly unreadable: number;
}

const kinds = new Map<number, TreePage["kind"]>([
  [13, "table-leaf"],
  [5, "table-inner"],
  [10, "index-leaf"],
  [2, "index-inner"],
]);
const fileHeaderBytes = 100;
const valuesMax = 64;

/** Reads the page of a tree; undefined where the page is none. */
export function treePage(image: PageImage, number: number): TreePage | undefined {
  const page = image.page(number);
  if (page === undefined) return undefined;
  const start = number === 1 ? fileHeaderBytes : 0;
  const kind = kinds.get(page[start] ?? 0);
  if (kind === undefined) return undefined;
  const isInner = kind === "table-inner" || kind === "index-inner";
  const pointers = start + (isInner ? 12 : 8);
  const count = wordAt(page, start + 3);
  if (pointers + count * 2 > page.length) return undefined;
  const places = Array.from({ length: count }, (_, index) => wordAt(page, pointers + index * 2));
  const children = isInner ? [start + 8, ...places].map((at) => longAt(page, at)) : [];
  if (kind === "table-inner") return { kind, children, rows: [], unreadable: 0 };
  const rows = places.flatMap((at) =>
    at < pointers ? [] : (readCell(image, page, { at, kind }) ?? []),
  );
  return { kind, children, rows, unreadable: count - rows.length };
}

function readCell(
  image: PageImage,
  page: Uint8Array,
  cell: { readonly at: number; readonly kind: TreePage["kind"] },
): CellRow | undefined {
  const isTable = cell.kind === "table-leaf";
  const size = varintAt(page, cell.at + (cell.kind === "index-inner" ? 4 : 0));
  const rowid = isTable ? varintAt(page, size.next) : { value: 0, next: size.next };
  const usable = image.pageSize;
  const most = isTable ? usable - 35 : Math.floor(((usable - 12) * 64) / 255) - 23;
  const payload = payloadAt(image, page, { start: rowid.next, size: size.value, most });
  const values = payload && valuesOf(payload);
  return values && { rowid: rowid.value, values };
}

// A payload that is too long for its page goes on in a chain of pages of its own.
function payloadAt(
  image: PageImage,
  page: Uint8Array,
  { start, size, most }: { readonly start: number; readonly size: number; readonly most: number },
): Uint8Array | undefined {
  if (size > image.pageCount * image.pageSize) return undefined;
  if (size <= most)
    return start + size <= page.length ? page.subarray(start, start + size) : undefined;
  const usable = image.pageSize;
  const least = Math.floor(((usable - 12) * 32) / 255) - 23;
  const wanted = least + ((size - least) % (usable - 4));
  const local = wanted <= most ? wanted : least;
  if (start + local + 4 > page.length) return undefined;
  const payload = new Uint8Array(size);
  payload.set(page.subarray(start, start + local));
  let filled = local;
  let next = longAt(page, start + local);
  while (filled < size) {
    const more = next === 0 ? undefined : image.page(next);
    if (more === undefined) return undefined;
    const part = more.subarray(4, 4 + Math.min(usable - 4, size - filled));
    payload.set(part, filled);
    filled += part.length;
    next = longAt(more, 0);
  }
  return payload;
}

function valuesOf(payload: Uint8Array): readonly CellValue[] | undefined {
  const header = varintAt(payload, 0);
  if (header.value > payload.length) return undefined;
  const values: CellValue[] = [];
  let body = header.value;
  for (let at = header.next; at < header.value;) {
    const type = varintAt(payload, at);
    at = type.next;
    const bytes = bytesOf(type.value);
    if (bytes === undefined || body + bytes > payload.length) return undefined;
    const value = valueOf(type.value, payload.subarray(body, body + bytes));
    if (value === undefined || values.length === valuesMax) return undefined;
    values.push(value);
    body += bytes;
  }
  return values;
}

const numberBytes = [0, 1, 2, 3, 4, 6, 8, 8, 0, 0];

function bytesOf(type: number): number | undefined {
  return type >= 12 ? Math.floor((type - 12) / 2) : numberBytes[type];
}

function valueOf(type: number, bytes: Uint8Array): CellValue | undefined {
  if (type === 0) return null;
  if (type === 8 || type === 9) return type - 8;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (type === 7) return view.getFloat64(0);
  if (type >= 12) return type % 2 === 0 ? bytes : textOf(bytes);
  let value = view.getInt8(0);
  for (let index = 1; index < bytes.length; index += 1) value = value * 256 + (bytes[index] ?? 0);
  return value;
}

// Text that is not UTF-8 was never written by this program.
function textOf(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

function varintAt(
  bytes: Uint8Array,
  at: number,
): { readonly value: number; readonly next: number } {
  let value = 0;
  for (let index = 0; index < 8; index += 1) {
    const byte = bytes[at + index] ?? 0;
    value = value * 128 + (byte & 127);
    if (byte < 128) return { value, next: at + index + 1 };
  }
  return { value: value * 256 + (bytes[at + 8] ?? 0), next: at + 9 };
}
