/** Memory that threads share, used again: what is new has to be cleared by the system first. */
export interface SharedMemory {
  /** Memory of at least so many bytes. */
  take(bytes: number): SharedArrayBuffer;
  /** Takes memory back that no thread looks at any more. */
  give(memory: SharedArrayBuffer): void;
}

/** A full push has a megabyte or two; what a few large ones needed is not kept for ever. */
const keptBytesMax = 4 * 1024 * 1024;
const pageBytes = 65_536;

/** Keeps one piece of memory for whoever comes next. */
export function createSharedMemory(): SharedMemory {
  let kept: SharedArrayBuffer | undefined;
  return {
    take: (bytes) => {
      const found = kept;
      if (found === undefined || found.byteLength < bytes) {
        return new SharedArrayBuffer(Math.ceil(bytes / pageBytes) * pageBytes);
      }
      kept = undefined;
      return found;
    },
    give: (memory) => {
      const isLarger = memory.byteLength > (kept?.byteLength ?? 0);
      if (isLarger && memory.byteLength <= keptBytesMax) kept = memory;
    },
  };
}
