import { promisify } from "node:util";
import { constants, gzip } from "node:zlib";

const pack = promisify(gzip);

/** Each piece comes from another thread; Node's own size makes twenty of a full push. */
const pieceBytes = 131_072;

/** Packs bodies off the main thread, at the fastest level: higher ones cost more than they save. */
export const systemGzip: {
  compress(content: string | Uint8Array): Promise<Uint8Array<ArrayBuffer>>;
} = {
  compress: async (content) =>
    new Uint8Array(await pack(content, { level: constants.Z_BEST_SPEED, chunkSize: pieceBytes })),
};
