/** Lines longer than this are not searched for names: they are data, not declarations. */
const lineCharsMax = 300;
const linesMax = 2000;

const testCase = (): RegExp => /^\s*(?:test|it|describe)(?:\.\w+)*\(\s*(["'`])(.{2,80}?)\1/u;
const script = (): readonly RegExp[] => [
  /^\s*(?:export\s+)?(?:default\s+)?(?:declare\s+)?(?:abstract\s+)?(?:async\s+)?(?:function\*?|class|interface|enum|namespace)\s+([\w$]+)/u,
  /^(?:export\s+)?type\s+(\w+)\s*[=<]/u,
  /^(?:export\s+)?(?:const|let|var)\s+([\w$]+)\s*[:=]/u,
  /^([A-Za-z]\w*(?:\.\w+)+)\s*=\s*(?:\{|function|\(|async)/u,
  /^ {2,4}(?:(?:static|async|private|public|protected|get|set)\s+)*(?!(?:if|for|while|switch|catch|function|return|super|do)\b)([a-zA-Z_$#][\w$]*)\([^;]*\)\s*(?::[^{;]{1,80})?\{\s*$/u,
];
const cFamily = (): readonly RegExp[] => [
  /^\s*(?:(?:public|private|protected|internal|static|final|abstract|sealed|open|data|export|partial)\s+)*(?:class|interface|enum|record|object|struct|protocol|extension|trait|union|namespace)\s+(\w+)/u,
  /^\s*(?:(?:public|private|protected|internal|override|suspend|static|inline|open|mutating)\s+)*(?:fun|func|function|def)\s+(?:<[^>]*>\s*)?(\w+)/u,
  /^\s*(?:public|private|protected|internal)\s+(?:[\w<>[\],?]+\s+)+(\w+)\s*\(/u,
];

/**
 * Declarations by file ending; the last group that matched is the name. A hook needs one language
 * at most, so expressions are made for the language that is asked for.
 */
const declarations = (): readonly (readonly [ending: RegExp, names: () => readonly RegExp[]])[] => [
  [/\.(?:[cm]?[jt]sx?|vue|svelte|astro)$/u, () => [testCase(), ...script()]],
  [/\.pyi?$/u, () => [/^\s*(?:async\s+)?(?:def|class)\s+(\w+)/u, /^([A-Z][A-Z0-9_]{2,})\s*[:=]/u]],
  [
    /\.exs?$/u,
    () => [
      /^\s*(?:test|describe)\s+(")([^"]{2,80})"/u,
      /^\s*defmodule\s+(?:\w+\.)*(\w+)/u,
      /^\s*defp?\s+(handle_\w+\((?:"[\w-]{1,40}"|:\w{1,40}))/u,
      /^\s*def(?:p|macro|macrop|guard|guardp|delegate)?\s+(?!unquote)([a-z_]\w*[?!]?)/u,
    ],
  ],
  [
    /\.(?:rb|rake)$/u,
    () => [
      /^\s*(?:def|class|module)\s+([\w.:?!]+)/u,
      /^\s*(?:it|describe|context)\s+(["'])(.{2,80}?)\1/u,
    ],
  ],
  [/\.go$/u, () => [/^func\s+(?:\([^)]*\)\s*)?(\w+)/u, /^type\s+(\w+)/u]],
  [
    /\.rs$/u,
    () => [
      /^\s*(?:pub(?:\([^)]*\))?\s+)?(?:async\s+|unsafe\s+|const\s+)*(?:fn|struct|enum|trait|mod|type)\s+(\w+)/u,
      /^\s*impl(?:<[^>]*>)?\s+([\w:<>]+(?:\s+for\s+\w+)?)/u,
    ],
  ],
  [/\.(?:java|kts?|cs|scala|swift|dart|php|c|h|cc|cpp|hpp|m)$/u, cFamily],
  [
    /\.sql$/u,
    () => [
      /^\s*create\s+(?:or\s+replace\s+)?(?:unique\s+)?(?:table|view|index|function|trigger|type|procedure)\s+(?:if\s+not\s+exists\s+)?["`]?([\w.]+)/iu,
    ],
  ],
  [/\.(?:sh|bash|zsh)$/u, () => [/^\s*(?:function\s+)?([\w-]+)\s*\(\)\s*\{/u]],
  [/\.(?:md|mdx|markdown)$/u, () => [/^(#{1,4})\s+(.{2,80}?)\s*#*$/u]],
  [/\.(?:css|scss|less)$/u, () => [/^\s*([.#:@]?[\w-][\w\s.#:>,()-]{0,60}?)\s*\{/u]],
  [/\.(?:toml|ini|cfg)$/u, () => [/^\[+([^\]]{1,60})\]+/u]],
];

/** A name that a line declares, and the line. */
interface Declared {
  readonly name: string;
  readonly line: number;
}

/** Names declared in a text, in order, by the language that the file's ending tells. */
export function declaredIn(lines: readonly string[], path: string): readonly Declared[] {
  const expressions = declarations().find(([ending]) => ending.test(path))?.[1]();
  if (expressions === undefined) return [];
  return lines.slice(0, linesMax).flatMap((line, index) => {
    if (line.length > lineCharsMax) return [];
    const name = declaredName(line, expressions);
    return name === undefined ? [] : [{ name, line: index }];
  });
}

function declaredName(line: string, expressions: readonly RegExp[]): string | undefined {
  for (const expression of expressions) {
    const match = expression.exec(line);
    if (match !== null) {
      const [, first = "", second] = match;
      if (second !== undefined) return `"${second}"`;
      return first.includes("(") ? `${first})` : first;
    }
  }
  return undefined;
}
