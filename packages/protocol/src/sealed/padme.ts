/** Smallest padded size: below it a value's length would say which of a few values it is. */
export const paddedBytesMin = 32;

/**
 * The size that so many bytes are padded to (EE2): PADME (Nikitin, Barman, Lueks, Underwood, Hubaux,
 * Ford: "Reducing Metadata Leakage from Encrypted Files and Communication with PURBs", PoPETs
 * 2019/4, algorithm 1). Sizes leak O(log log n) bits and cost at most 12 %.
 */
export function padmeBytes(bytes: number): number {
  if (bytes <= paddedBytesMin) return paddedBytesMin;
  const exponent = Math.floor(Math.log2(bytes));
  const kept = Math.floor(Math.log2(exponent)) + 1;
  const step = 2 ** (exponent - kept);
  return Math.ceil(bytes / step) * step;
}

/** Whether a size is one that padding gives. */
export function isPadmeSize(bytes: number): boolean {
  return padmeBytes(bytes) === bytes;
}
