import type { AgentFile } from "./agent-setup.ts";

/** Two parts of Tidemark's that stand in one file. */
export function inOneFile(first: AgentFile, second: AgentFile): AgentFile {
  const both = (verb: "install" | "uninstall"): AgentFile["install"] => {
    return (text) => {
      const done = first[verb](text);
      return done.ok ? second[verb](done.value) : done;
    };
  };
  return {
    path: first.path,
    part: `${first.part}, ${second.part}`,
    install: both("install"),
    uninstall: both("uninstall"),
  };
}
