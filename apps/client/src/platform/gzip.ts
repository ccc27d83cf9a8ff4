import { promisify } from "node:util";
import { gzip } from "node:zlib";

const pack = promisify(gzip);

/** Packs texts off the main thread. */
export const systemGzip: { compress(text: string): Promise<Uint8Array<ArrayBuffer>> } = {
  compress: async (text) => Uint8Array.from(await pack(text)),
};
