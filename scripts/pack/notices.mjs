import { existsSync, readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { createSbom } from "../sbom.mjs";

const store = fileURLToPath(new URL("../../node_modules/.pnpm", import.meta.url));

/**
 * The licences of everything that a program's bundle may hold, as their authors ask to have them
 * carried along. `apart` are packages that are installed beside it, with licences of their own.
 */
export function noticesOf(program, apart) {
  const { components } = createSbom([program]);
  const held = components.filter(
    ({ name }) => !name.startsWith("@tidemark/") && !apart.includes(name),
  );
  const texts = held.flatMap(({ name, version, licenses }) => {
    const folder = folderOf(name, version);
    // What is for other systems, and what only comes with a package apart, is not installed here.
    if (folder === undefined) return [];
    const [licence] = licenses ?? [];
    return [`${name} ${version} (${licence?.expression ?? "no licence"})\n\n${textIn(folder)}`];
  });
  return `${texts.join(`\n${"-".repeat(80)}\n\n`)}`;
}

function folderOf(name, version) {
  const stem = `${name.replace("/", "+")}@${version}`;
  const found = readdirSync(store).find((entry) => entry === stem || entry.startsWith(`${stem}_`));
  const folder = found === undefined ? "" : join(store, found, "node_modules", name);
  return existsSync(folder) ? folder : undefined;
}

function textIn(folder) {
  const file = readdirSync(folder).find((name) => /^(?:licen[cs]e|copying)(?:[.-]|$)/i.test(name));
  return file === undefined
    ? "The package carries no text of its licence.\n"
    : readFileSync(join(folder, file), "utf8").trimEnd() + "\n";
}
