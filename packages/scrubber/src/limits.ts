/** Longest text one scan takes, in UTF-16 code units; longer text is withheld whole (SC5). */
export const textCharsMax: number = 16 * 1024 * 1024;

/** Work allowed for each code unit of input, in characters visited (SC4). */
export const workPerCharMax: number = 96;

/** Work allowed on top of {@link workPerCharMax}, so that short texts are never over budget. */
export const workBaseMax: number = 16_384;

/** Passes over one text until it holds no finding; more means a fault, and the text is withheld. */
export const passesMax: number = 12;

/** Passes after which a secret goes with the rest of the word that it stands in. */
export const patientPassesMax: number = 4;

/** Work of all passes over a text, in that of one: most passes look at what the last one wrote. */
export const passesWorkMax: number = 6;

/** Times that a text is written anew so that JSON stays JSON; more means a fault. */
export const roundsMax: number = 6;

/** Layers of encoding that are undone, one inside the other. */
export const layersMax: number = 3;

/** Deepest JSON nesting that is walked; what lies deeper is withheld (SC5). */
export const jsonDepthMax: number = 256;

/** Longest quoted value read after a secret-like name, in code units. */
export const quotedCharsMax: number = 16_384;

/** How much of a named value is looked at to judge it, in code units. */
export const judgedCharsMax: number = 256;

/** Longest name read before a separator, in code units. */
export const nameCharsMax: number = 64;

/** Longest run of blanks or ANSI sequences crossed between a name and its value. */
export const gapCharsMax: number = 64;

/** Longest header of a JSON web token that is decoded, in base64 characters. */
export const jwtHeaderCharsMax: number = 128;

/** Most filler (line numbers, diff signs, header lines) between two lines of a private key. */
export const pemFillerCharsMax: number = 160;

/** Body characters a cut-off token must show at the end of the text to be redacted. */
export const truncatedBodyCharsMin: number = 8;

/** Estimated bits under which a secret takes the per-device key for its tag (SC3). */
export const lowEntropyBits: number = 40;
