import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));

/** The text of a page of the documentation, by its path in the repository. */
export function pageText(page: string): string {
  return readFileSync(join(root, page), "utf8");
}

/** Lines of a page's blocks that a shell is given: fenced, or a step of a CI job. */
export function shellLines(page: string): readonly string[] {
  const blocks = [...pageText(page).matchAll(/^ *```(?:sh|yaml)\n([\s\S]*?)^ *```/gm)];
  const lines = blocks.flatMap(([, text = ""]) => text.replaceAll("\\\n", " ").split("\n"));
  // The guide of troubles has its commands in tables, behind the messages.
  const spans = page.endsWith("troubleshooting.md")
    ? [
        ...pageText(page)
          .replaceAll(/^\| `[^|]+\|/gm, "|")
          .matchAll(/`(tidemark(?:-server)? [^`]+)`/g),
      ].map(([, text = ""]) => text)
    : [];
  return [...lines.map((line) => line.trim().replace(/^(?:- )?(?:run: )?/, "")), ...spans];
}

/** The words of the first command of a line, as a shell would part them. */
function wordsOf(line: string): readonly string[] {
  const parts = line.matchAll(/\s#.*$|&&|[|<>;]|(?:'[^']*'|"[^"]*"|[^\s'"|<>;&])+/g);
  const words: string[] = [];
  for (const [part] of parts) {
    if (/^(?:\s#|&&|[|<>;])/.test(part)) break;
    words.push(part.replaceAll(/['"]/g, ""));
  }
  return words;
}

/** A call of one of the two programs. */
export interface GuideCall {
  readonly program: "tidemark" | "tidemark-server";
  readonly args: readonly string[];
}

/** The line as a call of one of the two programs; undefined for any other. */
export function callOf(line: string): GuideCall | undefined {
  const [first = "", ...rest] = wordsOf(line.replace(/^docker compose exec server /, ""));
  if (first === "tidemark" || first === "tidemark-server") return { program: first, args: rest };
  if (first === "node" && /(?:server\/dist|\/opt\/tidemark)\/main\.js$/.test(rest[0] ?? ""))
    return { program: "tidemark-server", args: rest.slice(1) };
  // What stands behind `--` goes to the server that `npm start` starts.
  if (first === "npm" && rest[0] === "start")
    return { program: "tidemark-server", args: ["serve", ...rest.slice(2)] };
  return undefined;
}

/** The calls of both programs that a page tells its reader to make, in its order. */
export function guideCalls(page: string): readonly GuideCall[] {
  return shellLines(page).flatMap((line) => callOf(line) ?? []);
}
