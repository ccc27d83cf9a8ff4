import type { CatalogEntry, CatalogOption } from "./catalog.ts";

/** The manual page, made of the same table as `--help` (TM2). */
export function manPage(entries: readonly CatalogEntry[], version: string): string {
  const groups = [...new Set(entries.map(({ group }) => group))];
  return [
    `.TH TIDEMARK 1 "" ${argument(`tidemark ${version}`)} "User commands"`,
    ".SH NAME",
    roff("tidemark - memory for coding agents: kept on this device, scrubbed of secrets, synced"),
    ".SH SYNOPSIS",
    `.B tidemark\n${roff("<command> [arguments] [options]")}`,
    ".SH DESCRIPTION",
    roff(
      "Keeps what coding agents do and learn, takes secrets out before anything is stored, and " +
        "works offline. Without a command it says how things stand and what to do next.",
    ),
    ".SH COMMANDS",
    ...groups.flatMap((group) => [
      `.SS ${argument(group)}`,
      ...entries.filter((entry) => entry.group === group).flatMap(entryLines),
    ]),
    ".SH EXIT STATUS",
    ...term("0", "done"),
    ...term("1", "failed; the reason and the next step are on standard error"),
    ...term("2", "used wrongly"),
    ".SH ENVIRONMENT",
    ...term("NO_COLOR", "no colours"),
    ...term("TIDEMARK_HOME", "the folder of the database and of the device's key"),
    "",
  ].join("\n");
}

function entryLines(entry: CatalogEntry): readonly string[] {
  const usage = entry.arguments.map(({ syntax }) => ` ${syntax}`).join("");
  const own = entry.options.filter(({ long }) => long !== "json" && long !== "help");
  return [
    ".TP",
    `.B ${roff(`tidemark ${entry.path}`)}${roff(usage)}`,
    roff(entry.summary),
    ".RS",
    ...entry.arguments.flatMap(({ syntax, help }) => term(syntax, help)),
    ...own.flatMap((option) => term(flags(option), option.help)),
    ...(entry.notes === undefined ? [] : [".PP", roff(entry.notes)]),
    ".RE",
  ];
}

function term(name: string, about: string): readonly string[] {
  return [".TP", `.B ${roff(name)}`, roff(about)];
}

function flags({ short, long, value }: CatalogOption): string {
  const names = short === undefined ? `--${long}` : `-${short}, --${long}`;
  return value === undefined ? names : `${names} <${value}>`;
}

function argument(text: string): string {
  return `"${roff(text).replaceAll('"', '""')}"`;
}

/** Text as it stands: no character of it is an order to the typesetter. */
function roff(text: string): string {
  return text
    .replaceAll("\\", String.raw`\e`)
    .replaceAll("-", String.raw`\-`)
    .replaceAll("'", String.raw`\(aq`)
    .replaceAll("`", String.raw`\(ga`)
    .replaceAll(/^\./gmu, String.raw`\&.`)
    .replaceAll(/(?<=^.{75,})\n/gmu, " ")
    .replaceAll(/\n\s*/gu, "\n.br\n")
    .replaceAll(/\P{ASCII}/gu, (one) => `\\[u${hex(one)}]`);
}

function hex(character: string): string {
  return (character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0");
}
