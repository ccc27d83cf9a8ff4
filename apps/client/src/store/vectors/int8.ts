/** Most dimensions that a vector may have; today's models have from 256 to 4,096. */
export const dimensionsMax = 8_192;

/** The largest value of a signed byte, which the largest part of each vector becomes. */
const byteMax = 127;

/**
 * A vector of an embedder in one signed byte a dimension: a quarter of its 32-bit floats, and the
 * angle between two of them, which is all that a search asks for, stays within a fraction of a degree.
 * Undefined where it has no direction: no parts, none that is not 0, or one that is no finite number.
 */
export function int8Of(parts: readonly number[]): Int8Array | undefined {
  const largest = parts.reduce((max, part) => Math.max(max, Math.abs(part)), 0);
  if (largest === 0 || !Number.isFinite(largest)) return undefined;
  return Int8Array.from(parts, (part) => Math.round((part / largest) * byteMax));
}

/**
 * Compares others to one vector, all of one length: higher is nearer. It is the cosine of the angle
 * between them times the length of that one, which is the same for all that are compared.
 */
export function closenessTo(vector: Int8Array): (other: Int8Array) => number {
  const { length } = vector;
  return (other) => {
    let product = 0;
    let squares = 0;
    for (let index = 0; index < length; index += 1) {
      const part = other[index] ?? 0;
      product += (vector[index] ?? 0) * part;
      squares += part * part;
    }
    return product / Math.sqrt(squares);
  };
}
