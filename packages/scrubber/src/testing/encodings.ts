/** Ways of writing a text in other characters, for tests of the layers. */

/** Writes the bytes of a text, in UTF-8, as a string of one character per byte. */
export function bytesOf(text: string): string {
  return encodeURIComponent(text).replaceAll(/%([0-9A-F]{2})/g, (_, hex: string) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  );
}

export const toBase64 = (text: string): string => btoa(bytesOf(text));

export const toBase64Url = (text: string): string =>
  toBase64(text).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");

export const toHex = (text: string): string =>
  Array.from(bytesOf(text), (byte) => byte.charCodeAt(0).toString(16).padStart(2, "0")).join("");

/** UTF-16 in base64, as PowerShell takes a command. */
export const toWide = (text: string): string =>
  btoa(Array.from(text, (char) => `${char}\0`).join(""));

/** Breaks a text into lines of a width. */
export const inLines = (text: string, width: number, end: string = "\n"): string =>
  (text.match(new RegExp(`.{1,${width}}`, "g")) ?? []).join(end);

export const toPercent = (text: string): string => encodeURIComponent(text);

export const toEntities = (text: string): string =>
  text
    .replaceAll("&", "&amp;")
    .replaceAll('"', "&quot;")
    .replaceAll("'", "&#39;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;");

/** JSON whose quotes and ampersands are written as code points, as some writers do. */
export const toCodedJson = (text: string): string =>
  JSON.stringify({ out: text }).replaceAll('\\"', "\\u0022").replaceAll("&", "\\u0026");
