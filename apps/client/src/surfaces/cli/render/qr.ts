import { renderUnicodeCompact } from "uqr";
import type { Io } from "../io.ts";

/** Modules of light around the code: cameras want to see where it ends. */
const borderModules = 2;

/**
 * A text as a QR code for a terminal (PR13): light is drawn and dark is left, as terminals are
 * dark. Empty where it does not fit, for half a code is none.
 */
export function qrText(text: string, io: Pick<Io, "width">): string {
  const drawn = renderUnicodeCompact(text, { border: borderModules });
  const width = drawn.indexOf("\n");
  return width > io.width ? "" : drawn;
}
