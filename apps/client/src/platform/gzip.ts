import { promisify } from "node:util";
import { constants, gzip } from "node:zlib";

const pack = promisify(gzip);

/** Packs texts off the main thread, at the fastest level: higher ones cost more than they save. */
export const systemGzip: { compress(text: string): Promise<Uint8Array<ArrayBuffer>> } = {
  compress: async (text) => new Uint8Array(await pack(text, { level: constants.Z_BEST_SPEED })),
};
