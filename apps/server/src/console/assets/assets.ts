import { createHash } from "node:crypto";
import { script } from "./script.ts";
import { style } from "./style.ts";

const mark = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="7" fill="#0b5f63"/><g fill="none" stroke="#fff" stroke-width="2.4" stroke-linecap="round"><path d="M6 20c3.3 0 3.3-3 6.7-3s3.3 3 6.6 3 3.4-3 6.7-3"/><path opacity=".55" d="M6 25c3.3 0 3.3-3 6.7-3s3.3 3 6.6 3 3.4-3 6.7-3"/><path d="M6 10h20"/></g></svg>`;

/** A file that pages load. */
export interface Asset {
  readonly text: string;
  readonly type: string;
}

const files = {
  "console.css": { text: style, type: "text/css; charset=utf-8" },
  "console.js": { text: script, type: "text/javascript; charset=utf-8" },
  "mark.svg": { text: mark, type: "image/svg+xml" },
} as const satisfies Record<string, Asset>;

const nameByFile = new Map(
  Object.entries(files).map(([file, { text }]) => {
    const hash = createHash("sha256").update(text).digest("hex").slice(0, 12);
    return [file, file.replace(".", `.${hash}.`)] as const;
  }),
);
const assetByName = new Map<string, Asset>(
  Object.entries(files).map(([file, asset]) => [nameByFile.get(file) ?? file, asset]),
);

/** Where a file lies. Its name changes with its text, so that browsers keep it for a year. */
export function assetPath(file: keyof typeof files): string {
  return `/console/assets/${nameByFile.get(file) ?? file}`;
}

/** The file of a name; undefined where there is none. */
export function assetOf(name: string): Asset | undefined {
  return assetByName.get(name);
}
