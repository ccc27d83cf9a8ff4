import { guideCalls, type GuideCall } from "../../scripts/guide-lines.ts";

/** A page's commands of one program, each to be run as it stands there. */
export interface GuideWalk {
  /**
   * The words behind the program of the first line, not yet taken, that begins so; what the reader has to
   * put in, such as `ID`, is replaced. Throws where the page has no such line.
   */
  take(beginning: string, values?: Readonly<Record<string, string>>): readonly string[];
  /** Lines that nobody took. */
  left(): readonly string[];
}

/** Goes through a page of the documentation. */
export function walkOf(page: string, of: GuideCall["program"] = "tidemark"): GuideWalk {
  const left = guideCalls(page)
    .filter(({ program }) => program === of)
    .map(({ args }) => args);
  return {
    take: (beginning, values = {}) => {
      const words = beginning === "" ? [] : beginning.split(" ");
      const at = left.findIndex((args) => words.every((word, index) => args[index] === word));
      const [args] = at === -1 ? [] : left.splice(at, 1);
      if (args === undefined) throw new Error(`${page} has no more of: ${of} ${beginning}`);
      const filled = args.map((arg) => values[arg] ?? arg);
      const open = filled.filter((arg) => /^(?:ID|PATH|<link>|.*…)$/.test(arg));
      if (open.length > 0) throw new Error(`${page}: what is ${open.join(", ")}?`);
      return filled;
    },
    left: () => left.map((args) => args.join(" ")),
  };
}
