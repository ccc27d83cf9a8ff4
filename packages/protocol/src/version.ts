/** The wire version that this build speaks. */
export const protocolVersion = 1;

/** The oldest wire version that this build still answers. */
export const protocolVersionOldest = 1;

/**
 * What this build can do beyond the version number (WR2). A peer looks for a feature, it never
 * guesses from a version.
 */
export const features: readonly string[] = [
  "ci-jobs",
  "heal",
  "link-networks",
  "marks",
  "pokes",
  "quarantine",
  "revisions",
  "sealed-namespaces",
  "waiting-invites",
];

/** The header in which a client states its wire version. */
export const versionHeader = "tidemark-protocol";

/** The header in which a server gives the nonce of the next proof (RFC 9449 §8). */
export const nonceHeader = "dpop-nonce";
