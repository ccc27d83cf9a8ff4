/**
 * What stands before V8's own bytes in a code cache: which Node made it, by all that decides what
 * V8's objects look like in it. V8 itself does not tell Node 20.19 from 20.20 nor one machine from
 * another, and a cache that does not fit ends the process (ADR 46). Blanks fill it up, for V8 copies
 * what does not start at a multiple of eight bytes.
 */
export function cacheHead() {
  const { versions, platform, arch, config } = process;
  const bytes = Buffer.from(JSON.stringify([versions, platform, arch, config.variables]));
  return Buffer.concat([bytes, Buffer.alloc(8 - (bytes.length % 8), " ")]);
}
