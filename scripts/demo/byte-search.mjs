import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** Shortest stretch of a secret that counts as the secret. */
const stretchChars = 12;

/**
 * What to look for to be sure of a secret: the whole, and the end of each unbroken stretch of it.
 * A search index cuts text into words, lowers their case and stores of two neighbours only where
 * they part; the end of a long word is still there.
 */
export function needlesOf(secret) {
  const stretches = secret.match(/[A-Za-z0-9]+/g) ?? [];
  const ends = stretches.map((stretch) => stretch.slice(-stretchChars));
  return [secret, ...ends.filter((end) => end.length === stretchChars)].map((text) =>
    text.toLowerCase(),
  );
}

/** Every file below some folders. What vanishes meanwhile, such as a lock, is passed over. */
export function filesBelow(folders) {
  return folders.flatMap((folder) =>
    entriesOf(folder).flatMap((entry) => {
      const path = join(folder, entry.name);
      if (entry.isDirectory()) return filesBelow([path]);
      return entry.isFile() ? [path] : [];
    }),
  );
}

/** The bytes of a file; none where it vanished or is a socket. */
export function bytesOf(path) {
  try {
    return readFileSync(path);
  } catch (cause) {
    if (["ENOENT", "ENXIO"].includes(cause.code)) return Buffer.alloc(0);
    throw cause;
  }
}

/** Which of the needles stand in some bytes, in whatever letter case. */
export function foundIn(bytes, needles) {
  // One character a byte, so that nothing is lost or merged in decoding.
  const text = bytes.toString("latin1").toLowerCase();
  return needles.filter((needle) => text.includes(needle));
}

function entriesOf(folder) {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch (cause) {
    if (cause.code === "ENOENT") return [];
    throw cause;
  }
}
