import type { JsonObject } from "@tidemark/protocol";
import { createScrubber } from "@tidemark/scrubber";

/**
 * Looks for secrets in ops with the scrubber that devices use (SC60). The line is read as it lies
 * first, which finds nothing in nearly all of them; what is found there counts if the fields, each
 * under its name as a device scrubs them, hold it too. Makes no tag that leaves the process.
 */
export function createSecretCheck(): (
  line: string,
  op: { readonly fields: JsonObject },
) => boolean {
  const noMac = new Uint8Array(32);
  const scrubber = createScrubber({ hmac: () => noMac });
  return (line, op) =>
    scrubber.scrub(line).findings.length > 0 &&
    Object.entries(op.fields).some(
      ([name, value]) =>
        scrubber.scrubJson(value, { name }).findings.length > 0 ||
        scrubber.scrub(name).findings.length > 0,
    );
}
