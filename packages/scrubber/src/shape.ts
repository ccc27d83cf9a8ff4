import { bitsAt } from "./chars.ts";
import type { Part } from "./rule.ts";

/**
 * Whether a text as a whole is what parts describe. One walk forward: the compiler's rule that no
 * run eats into what follows it holds for these parts as well.
 */
export function hasShape(text: string, parts: readonly Part[]): boolean {
  let at = 0;
  for (const part of parts) {
    if (typeof part === "string") {
      if (!text.startsWith(part, at)) return false;
      at += part.length;
      continue;
    }
    const start = at;
    while (at - start < part.max && (bitsAt(text, at) & part.mask) !== 0) at++;
    if (at - start < part.min) return false;
  }
  return at === text.length;
}
