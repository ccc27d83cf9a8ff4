import { isPath, type CatalogOption, type Place } from "./catalog.ts";

/** The shells that can complete `tidemark`. */
export const shells = ["bash", "zsh", "fish"] as const;

/** One of {@link shells}. */
export type Shell = (typeof shells)[number];

/** The script by which a shell completes `tidemark` (TM1). Asks nothing of the program. */
export function completionScript(shell: Shell, places: readonly Place[]): string {
  return scripts[shell](places);
}

const scripts: Readonly<Record<Shell, (places: readonly Place[]) => string>> = {
  bash: bashScript,
  zsh: zshScript,
  fish: fishScript,
};

function bashScript(places: readonly Place[]): string {
  return `# bash completion of tidemark
_tidemark() {
  local cur=\${COMP_WORDS[COMP_CWORD]} prev=\${COMP_WORDS[COMP_CWORD-1]} first= second= word
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    case $word in -*) continue ;; esac
    if [ -z "$first" ]; then first=$word; elif [ -z "$second" ]; then second=$word; fi
  done
  local words= files= paths= values=
  case "$first $second" in
${cases(places, bashSet)}
  esac
  COMPREPLY=($(compgen -W "$words" -- "$cur"))
  # From here on only a line's end parts one name from the next.
  local IFS=$'\\n'
  case " $paths " in *" $prev "*) compopt -o filenames; COMPREPLY=($(compgen -f -- "$cur")); return ;; esac
  case " $values " in *" $prev "*) COMPREPLY=(); return ;; esac
  if [ -n "$files" ] && [[ $cur != -* ]]; then
    compopt -o filenames
    COMPREPLY+=($(compgen -f -- "$cur"))
  fi
}
complete -F _tidemark tidemark
`;
}

function bashSet(place: Place): string {
  const words = [...place.words.map(({ word }) => word), ...place.options.flatMap(flagsOf)];
  return [
    `words=${quoted(words.join(" "))}`,
    `paths=${quoted(valueFlags(place, true).join(" "))}`,
    `values=${quoted(valueFlags(place, false).join(" "))}`,
    `files=${place.takesPath ? "yes" : ""}`,
  ].join(" ");
}

function zshScript(places: readonly Place[]): string {
  return `#compdef tidemark
# zsh completion of tidemark
_tidemark() {
  local first= second= word prev=\${words[CURRENT-1]} files=
  local -a verbs flags paths values
  for word in "\${(@)words[2,CURRENT-1]}"; do
    case $word in -*) continue ;; esac
    if [[ -z $first ]]; then first=$word; elif [[ -z $second ]]; then second=$word; fi
  done
  case "$first $second" in
${cases(places, zshSet)}
  esac
  if (( \${paths[(Ie)$prev]} )); then _files; return; fi
  if (( \${values[(Ie)$prev]} )); then _message value; return; fi
  if [[ \${words[CURRENT]} == -* ]]; then _describe option flags; return; fi
  if (( \${#verbs} )); then _describe command verbs; fi
  if [[ -n $files ]]; then _files; fi
}
if [ "$funcstack[1]" = "_tidemark" ]; then _tidemark "$@"; else compdef _tidemark tidemark; fi
`;
}

function zshSet(place: Place): string {
  const flags = place.options.flatMap((option) =>
    flagsOf(option).map((flag) => quoted(`${flag}:${option.help}`)),
  );
  const verbs = place.words.map(({ word, summary }) => quoted(`${word}:${summary}`));
  return [
    `verbs=(${verbs.join(" ")})`,
    `flags=(${flags.join(" ")})`,
    `paths=(${valueFlags(place, true).join(" ")})`,
    `values=(${valueFlags(place, false).join(" ")})`,
    `files=${place.takesPath ? "yes" : ""}`,
  ].join(" ");
}

/** The longest path first: what follows a verb that takes arguments may be any word. */
function cases(places: readonly Place[], set: (place: Place) => string): string {
  const depth = ({ path }: Place): number => (path === "" ? 0 : path.split(" ").length);
  return places
    .toSorted((left, right) => depth(right) - depth(left))
    .map((place) => `    ${patternOf(place)}) ${set(place)} ;;`)
    .join("\n");
}

function patternOf({ path }: Place): string {
  if (path === "") return '" "';
  return path.includes(" ") ? quoted(path) : `${quoted(`${path} `)}*`;
}

function fishScript(places: readonly Place[]): string {
  const known = places.map(({ path }) => quoted(path)).join(" ");
  return `# fish completion of tidemark
function __tidemark_at
  set -l said
  for word in (commandline -opc)[2..-1]
    string match -q -- '-*' $word; or set -a said $word
  end
  set -l place "$said[1..2]"
  contains -- "$place" ${known}; or set place "$said[1]"
  test "$place" = "$argv[1]"
end
complete -c tidemark -f
${places.flatMap(fishLines).join("\n")}
`;
}

function fishLines(place: Place): readonly string[] {
  const start = `complete -c tidemark -n ${fishQuoted(`__tidemark_at ${fishQuoted(place.path)}`)}`;
  const words = place.words.map(
    ({ word, summary }) => `${start} -f -a ${word} -d ${fishQuoted(summary)}`,
  );
  const options = place.options.map((option) => {
    const short = option.short === undefined ? "" : ` -s ${option.short}`;
    return `${start}${short} -l ${option.long}${fishValue(option)} -d ${fishQuoted(option.help)}`;
  });
  return [...words, ...options, ...(place.takesPath ? [`${start} -F`] : [])];
}

function fishValue({ value }: CatalogOption): string {
  if (value === undefined) return "";
  return isPath(value) ? " -r -F" : " -x";
}

function flagsOf({ short, long }: CatalogOption): readonly string[] {
  return [...(short === undefined ? [] : [`-${short}`]), `--${long}`];
}

function valueFlags(place: Place, arePaths: boolean): readonly string[] {
  return place.options
    .filter(({ value }) => value !== undefined && isPath(value) === arePaths)
    .flatMap(flagsOf);
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}

function fishQuoted(text: string): string {
  return `'${text.replaceAll("\\", String.raw`\\`).replaceAll("'", String.raw`\'`)}'`;
}
