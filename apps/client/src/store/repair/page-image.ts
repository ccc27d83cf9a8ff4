/** Bytes of a file that are read where they stand, whatever SQLite thinks of the file. */
export interface ByteSource {
  readonly bytes: number;
  /** Fewer bytes at the end of the file. */
  read(offset: number, length: number): Uint8Array;
}

/** A database as its pages: those of the file, with the committed ones of its log over them. */
export interface PageImage {
  readonly pageSize: number;
  /** Pages there are, numbered from 1. */
  readonly pageCount: number;
  /** Parts of the log that SQLite cannot read, and with which it drops all that follows. */
  readonly ruinedFrames: number;
  /** Undefined beyond the end. */
  page(number: number): Uint8Array | undefined;
}

/** What every database of this program has: SQLite's default. */
const defaultPageSize = 4096;
const logHeaderBytes = 32;
const frameHeaderBytes = 24;

/**
 * Reads a database without SQLite, by its file format (https://sqlite.org/fileformat2.html), so
 * that what is whole can be read whatever is damaged beside it.
 */
export function pageImage(file: ByteSource, log?: ByteSource): PageImage {
  const pageSize = pageSizeOf(file);
  const { offsets, ruined } =
    log === undefined
      ? { offsets: new Map<number, number>(), ruined: 0 }
      : committedFrames(log, pageSize);
  let pageCount = Math.ceil(file.bytes / pageSize);
  for (const number of offsets.keys()) pageCount = Math.max(pageCount, number);
  return {
    pageSize,
    pageCount,
    ruinedFrames: ruined,
    page: (number) => {
      const frame = offsets.get(number);
      if (frame !== undefined && log !== undefined) return log.read(frame, pageSize);
      const bytes = file.read((number - 1) * pageSize, pageSize);
      return bytes.length === pageSize ? bytes : undefined;
    },
  };
}

function pageSizeOf(file: ByteSource): number {
  const header = file.read(0, 18);
  if (header.length < 18) return defaultPageSize;
  const told = wordAt(header, 16);
  const size = told === 1 ? 65_536 : told;
  const isPower = size >= 512 && (size & (size - 1)) === 0;
  return isPower ? size : defaultPageSize;
}

interface Frames {
  /** Where the newest committed copy of each page stands in the log. */
  readonly offsets: ReadonlyMap<number, number>;
  /** Frames that do not have their checksum, though later ones do. */
  readonly ruined: number;
}

/**
 * Finds the committed pages of a log. A frame counts if it bears the log's salts and a commit of the
 * same salts follows: what an older round left has others. SQLite stops at the first frame that does
 * not have its checksum, and so drops every commit behind a ruined one; these are read here.
 */
function committedFrames(log: ByteSource, pageSize: number): Frames {
  const offsets = new Map<number, number>();
  const header = log.read(0, logHeaderBytes);
  if (header.length < logHeaderBytes || longAt(header, 8) !== pageSize) {
    return { offsets, ruined: 0 };
  }
  const isBigEndian = (longAt(header, 0) & 1) === 1;
  const frameBytes = frameHeaderBytes + pageSize;
  let sums: Sums = [longAt(header, 24), longAt(header, 28)];
  let open = new Map<number, number>();
  let suspects = 0;
  let ruined = 0;
  for (let at = logHeaderBytes; at + frameBytes <= log.bytes; at += frameBytes) {
    const frame = log.read(at, frameBytes);
    if (longAt(frame, 8) !== longAt(header, 16) || longAt(frame, 12) !== longAt(header, 20)) break;
    const own = checksum(frame.subarray(0, 8), sums, isBigEndian);
    const [left, right] = checksum(frame.subarray(frameHeaderBytes), own, isBigEndian);
    sums = [longAt(frame, 16), longAt(frame, 20)];
    if (left !== sums[0] || right !== sums[1]) {
      suspects += 1;
      continue;
    }
    open.set(longAt(frame, 0), at + frameHeaderBytes);
    if (longAt(frame, 4) === 0) continue;
    for (const [number, offset] of open) offsets.set(number, offset);
    open = new Map();
    ruined = suspects;
  }
  return { offsets, ruined };
}

type Sums = readonly [left: number, right: number];

function checksum(bytes: Uint8Array, [left, right]: Sums, isBigEndian: boolean): Sums {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let one = left;
  let two = right;
  for (let at = 0; at < bytes.length; at += 8) {
    one = (one + view.getUint32(at, !isBigEndian) + two) >>> 0;
    two = (two + view.getUint32(at + 4, !isBigEndian) + one) >>> 0;
  }
  return [one, two];
}

/** Two bytes as a number. */
export function wordAt(bytes: Uint8Array, at: number): number {
  return ((bytes[at] ?? 0) << 8) | (bytes[at + 1] ?? 0);
}

/** Four bytes as a number. */
export function longAt(bytes: Uint8Array, at: number): number {
  return wordAt(bytes, at) * 65_536 + wordAt(bytes, at + 2);
}
