import type { SimpleCommand } from "./command-line.ts";

/** What a command is for. "quiet" commands only look; what they print is not worth remembering. */
type CommandKind = "test" | "build" | "lint" | "install" | "migrate" | "commit" | "run" | "quiet";

/** A command's kind, its program (the words that name it) and what it is applied to. */
export interface Program {
  readonly kind: CommandKind;
  readonly name: string;
  readonly targets: readonly string[];
}

const runner =
  "(?:(?:npx|bunx|pnpm exec|pnpm dlx|yarn dlx|uv run|poetry run|pipenv run|hatch run|bundle exec|python3? -m|docker compose (?:exec|run)(?: -\\S+)* \\S+) (?:-\\S+ )*)?";

/** What every text begins with that a runner can match; without one, half the expression will do. */
const runnerStarts = [
  "npx ", "bunx ", "pnpm ", "yarn ", "uv ", "poetry ", "pipenv ", "hatch ", "bundle ", "python",
  "docker ",
]; // prettier-ignore

/** One way to write a command: texts of which it holds one, and its expression. */
type Form = readonly [signs: readonly string[], expression: string];

const scripts = ["npm", "pnpm", "yarn", "bun"];
const flags = "(?: -\\S+)*";
const builders = ["gradle", "mvn"];

const script = (names: string): Form => [
  scripts,
  `${oneOf(scripts)}${flags}(?: run)?${flags} ${names}`,
];
const managePy = (verb: string): Form => [
  ["manage.py"],
  `(?:python3? )?(?:\\S*/)?manage\\.py ${verb}`,
];
const built = (goals: string): Form => [builders, `(?:\\./)?(?:gradlew?|mvnw?)${flags} ${goals}`];
const begins = (firsts: string, rest = ""): Form => {
  const words = firsts.split(", ");
  return [words, `${oneOf(words)}${rest}`];
};

function oneOf(words: readonly string[]): string {
  return `(?:${words.join("|")})`;
}

/** The first form that matches names the kind; the matched words are the program. */
const forms: readonly (readonly [CommandKind, readonly Form[]])[] = [
  [
    "test",
    [
      script("(?:t|test\\S*|e2e\\S*|vitest|jest)"),
      begins("vitest, jest, mocha, ava, tap, karma, cypress, playwright", "(?: run| test)?"),
      begins("node --test"),
      begins(
        "mix, cargo, go, dotnet, deno, swift, flutter, dart, rails, rake, bazel, just, sbt, lein, zig build, bin/rails",
        " (?:test|nextest run)",
      ),
      begins("make, just, task", " (?:test\\S*|check\\S*)"),
      begins("pytest, tox, nox, unittest, rspec, phpunit, pest, ctest, bats"),
      managePy("test"),
      built("(?:test|verify|check)"),
    ],
  ],
  [
    "build",
    [
      script("(?:build\\S*|compile\\S*|bundle)"),
      begins("tsc, webpack, rollup, esbuild, tsup, tsdown, cmake, meson, ninja, vue-tsc"),
      begins("vite, next, nuxt, astro, remix", " build"),
      begins(
        "cargo, go, dotnet, swift, flutter, bazel, zig, docker, docker compose, docker buildx",
        " (?:build|check|vet)",
      ),
      begins("mix compile"),
      begins("make", "(?: all| build\\S*)?(?=$| -)"),
      begins("node", " \\S*build\\S*\\.[cm]?[jt]s"),
      built("(?:build|assemble|package|compile|install)"),
    ],
  ],
  [
    "lint",
    [
      script("(?:lint\\S*|check\\S*|type-?check\\S*|types|format:check|fmt:check)"),
      begins(
        "eslint, oxlint, standard, stylelint, biome, flake8, mypy, pyright, pylint, rubocop, golangci-lint, shellcheck, hadolint, phpstan, psalm, dialyzer",
      ),
      begins("ruff", "(?: check| format --check)?"),
      begins("prettier, oxfmt, black", " --check"),
      begins("mix", " (?:credo|dialyzer|format --check-formatted)"),
      begins("cargo", " (?:clippy|fmt --check)"),
    ],
  ],
  [
    "install",
    [
      begins("npm, pnpm, bun", " (?:i|install|add|ci)"),
      begins("yarn", "(?: add| install)?(?=$)"),
      begins("yarn add"),
      begins(
        "pip, pip3, pipx, gem, brew, apt, apt-get, apk, dnf, cargo, go, uv pip, conda",
        " (?:-\\S+ )*install",
      ),
      begins("uv, poetry, cargo, bundle, flutter pub, dart pub, deno", " add"),
      begins("go", " (?:get|mod tidy)"),
      begins("composer", " (?:require|install)"),
      begins("dotnet add package"),
      begins("mix deps.get, bundle install, poetry install, uv sync, pod install"),
    ],
  ],
  [
    "migrate",
    [
      script("\\S*migrat\\S*"),
      begins("mix", " (?:ecto|ash)\\.(?:migrate|rollback|setup)"),
      begins("prisma", " (?:migrate|db push)(?: \\w+)?"),
      begins("alembic", " (?:upgrade|downgrade)"),
      managePy("migrate"),
      begins("rails, rake, bin/rails", " db:\\w+"),
      begins(
        "knex, sequelize, typeorm, drizzle-kit, sqlx, goose, dbmate, flyway, diesel, atlas",
        " (?:db:)?(?:migrat\\S*|migration|push|up)(?::\\w+)?",
      ),
    ],
  ],
  ["commit", [begins("git commit")]],
];

/**
 * The expression of the forms that a text can have, made at its first use: compiling one of all
 * forms takes a hook longer than all its own rules do.
 */
const expressions = new Map<string, RegExp>();

function expressionFor(text: string, all: readonly Form[]): RegExp | undefined {
  const fitting = all.filter(([signs]) => signs.some((sign) => text.includes(sign)));
  if (fitting.length === 0) return undefined;
  const before = runnerStarts.some((start) => text.startsWith(start)) ? runner : "";
  const source = `^${before}${oneOf(fitting.map(([, expression]) => expression))}(?=\\s|$)`;
  const known = expressions.get(source) ?? new RegExp(source, "u");
  expressions.set(source, known);
  return known;
}

const quietPrograms = new Set(
  (
    "ls cat pwd echo printf head tail wc which type whoami date uname grep rg egrep fgrep ag find fd tree stat file " +
    "du df ps top env export set source sort uniq cut awk sed jq yq tr diff cmp less more man sleep wait true false " +
    "test [ touch mkdir cp mv rm rmdir ln chmod chown git gh glab curl wget ping dig kill pkill lsof ss netstat " +
    "history alias readlink realpath basename dirname xxd od hexdump strings nl tee xargs ssh scp rsync open code " +
    "tmux screen read for while if until case function"
  ).split(" "),
);

/** Interpreters given their program on the command line or by stdin: trying things out. */
const oneLiner = (): RegExp =>
  /^(?:python3?|node|ruby|perl|php|deno|bun|bash|sh|zsh|iex|elixir|irb|psql|sqlite3|mysql|redis-cli)(?: (?:-\S+ )*(?:-c|-e|-r|-p|--eval|eval|-)(?= |$)|$)/u;

/** What a simple command is for. */
export function programOf(command: SimpleCommand): Program {
  const text = command.words.join(" ").slice(0, 1000);
  for (const [kind, ways] of forms) {
    const match = expressionFor(text, ways)?.exec(text) ?? null;
    if (match !== null) {
      const name = match[0].trim();
      const targets = kind === "commit" ? [] : targetsOf(text.slice(match[0].length));
      return { kind, name, targets };
    }
  }
  const first = (command.words[0] ?? "").replace(/^.*\//u, "");
  const isQuiet =
    quietPrograms.has(first) ||
    oneLiner().test(text) ||
    /--version$|^\S+ (?:-[vVh]|--?help)$/u.test(text);
  return { kind: isQuiet ? "quiet" : "run", name: text, targets: [] };
}

/**
 * Whether a later run of `passed` proves what `failed` did not: the same program over the same
 * targets, over more of them, or over everything.
 */
export function covers(passed: Program, failed: Program): boolean {
  if (passed.name !== failed.name || passed.kind !== failed.kind) return false;
  if (passed.targets.length === 0) return true;
  return (
    failed.targets.length > 0 && failed.targets.every((target) => passed.targets.includes(target))
  );
}

/** Whether a command checks the work: its passing or failing says whether the code is right. */
export function isCheck(kind: CommandKind): boolean {
  return kind === "test" || kind === "build" || kind === "lint";
}

function targetsOf(rest: string): readonly string[] {
  return rest
    .split(" ")
    .map(withoutFlag)
    .filter((word) => word !== "" && !word.startsWith("-") && !/^\d+$/u.test(word));
}

function withoutFlag(word: string): string {
  if (!word.startsWith("-")) return word;
  return word.replace(/^--?(?:filter|grep|only|run|testNamePattern|package|[tkp])=/u, "");
}
