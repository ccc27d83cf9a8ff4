import { promisify } from "node:util";
import { constants, createGunzip, gzip } from "node:zlib";

const pack = promisify(gzip);

/** Each piece goes to another thread and back; Node's own size makes 64 of a full push. */
const pieceBytes = 131_072;

/** Content as gzip at the fastest level: JSON shrinks to a quarter and the server stays responsive. */
export async function compressContent(content: string | Uint8Array): Promise<Uint8Array> {
  return await pack(content, { level: constants.Z_BEST_SPEED, chunkSize: pieceBytes });
}

/** Expands a gzip while it comes. */
export interface Expander {
  /** Gives what comes out of these bytes; nothing more once it is more than it may be, or ill. */
  add(bytes: Uint8Array): Promise<Expanded>;
  /** Gives what was left, where the gzip is whole. */
  end(): Promise<Expanded>;
  /** Gives its memory back, wherever it stands. */
  close(): void;
}

/** Pieces in order, or why there are none. */
export type Expanded = readonly Uint8Array[] | "too-large" | "malformed";

/**
 * Makes an expander that never makes more than `bytesMax`, whatever the input claims (WR12). It takes
 * its memory with the first bytes: whoever sends a head alone costs none.
 */
export function createExpander(bytesMax: number): Expander {
  let started: Expander | undefined;
  const start = (): Expander => (started ??= startExpander(bytesMax));
  return {
    add: (bytes) => start().add(bytes),
    end: () => start().end(),
    close: () => {
      started?.close();
    },
  };
}

function startExpander(bytesMax: number): Expander {
  const stream = createGunzip({ chunkSize: pieceBytes });
  let pieces: Uint8Array[] = [];
  let bytes = 0;
  let failure: "too-large" | "malformed" | undefined;
  let hasEnded = false;
  /** Also where zeros follow the gzip: Node ends there by itself, and fails at what comes after. */
  const over = new Promise<void>((resolve) => {
    const fail = (why: "too-large" | "malformed"): void => {
      if (hasEnded) return;
      failure ??= why;
      stream.destroy();
      resolve();
    };
    stream.on("error", () => {
      fail("malformed");
    });
    stream.on("data", (piece: Buffer) => {
      bytes += piece.byteLength;
      if (bytes > bytesMax) fail("too-large");
      else pieces.push(piece);
    });
    stream.on("end", () => {
      hasEnded = true;
      resolve();
    });
  });
  const taken = (): Expanded => {
    const given = pieces;
    pieces = [];
    return failure ?? given;
  };
  const isOver = (): boolean => hasEnded || failure !== undefined;
  return {
    add: async (more) => {
      if (isOver()) return taken();
      const written = new Promise<void>((resolve) => {
        stream.write(more, () => {
          resolve();
        });
      });
      await Promise.race([written, over]);
      return taken();
    },
    end: async () => {
      if (isOver()) return taken();
      stream.end();
      await over;
      return taken();
    },
    close: () => {
      stream.destroy();
    },
  };
}
