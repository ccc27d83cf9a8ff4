import { estimateBits } from "./checks/randomness.ts";
import { lowEntropyBits } from "./limits.ts";
import { bytesToTag } from "./placeholder.ts";

/** Gives the HMAC of a message, at least 8 bytes, under a key the caller holds. */
export type Hmac = (message: string) => Uint8Array;

/**
 * Gives the tag of a secret: the same for the same secret, in whatever notation it stood. What is
 * guessable by its kind takes the second key, however long it is.
 */
export type Tagger = (canonical: string, isGuessable?: boolean) => string;

/** Parts the tags from other uses of the same key. */
const domain = "tidemark scrub tag v1\n";

/** What fills base64 up to whole bytes: one tool writes it, the next writes it encoded or not at all. */
const padding = (): RegExp => /(?<=[\w+/-]{20})(?:={1,2}|(?:%3[dD]){1,2})$/;

/** Builds a tagger; guessable secrets take the second key, so that tags do not give them away. */
export function createTagger(hmac: Hmac, hmacLowEntropy: Hmac): Tagger {
  return (canonical, isGuessable = estimateBits(canonical) < lowEntropyBits) => {
    const mac = isGuessable ? hmacLowEntropy : hmac;
    return bytesToTag(mac(domain + canonical.replace(padding(), "")));
  };
}
