import { relative } from "node:path";
import { clientProgram } from "./programs.mjs";

/** What to paste for a look around while everything still runs. */
export function explore({ laptopA, laptopB, mate, wire, server, stage }, { quiet, strong }) {
  const program = relative(process.cwd(), clientProgram);
  const command = ({ home }, text) => `    TIDEMARK_HOME=${home} node ${program} ${text}`;
  return [
    `  ${strong("Everything still runs.")} ${quiet("Look around from another terminal, in this folder:")}`,
    "",
    command(laptopA, "status"),
    command(laptopA, "list --limit 5"),
    command(laptopB, "conflicts"),
    command(laptopB, "search review"),
    command(mate, "list --all"),
    "",
    quiet(`    server  ${wire.url} (process ${server.pid})`),
    quiet(`    files   ${stage.folder}`),
    "",
    `  ${strong("Ctrl-C")} stops it and removes every file.`,
    "",
  ];
}
