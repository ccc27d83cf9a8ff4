import { charClasses, isAt } from "../chars.ts";
import { type Scan, spend } from "../scan.ts";
import { quoteAt } from "../value.ts";

const wrapperCharsMax = 48;

/** Last words of calls that make a value of the text they are given, and do not look one up. */
const makers = (): RegExp =>
  /(?:^|[.:\s\]])(?:from|from_str|fromString|new|of|valueOf|String|Some|Ok|Just|str|bytes|bytearray|byte|Secret\w*|SecureString|Password|ptr|Ptr|literal|lit|sensitive|quote|encode|getBytes|GetBytes|strip|btoa|to_string)$/;

/** A command of the shell that prints what it is given: `$(echo -n "X")`, `$(cat <<< "X")`. */
const printer = (): RegExp =>
  /^(?:\$\(|`)\s?(?:echo(?: -[neE]{1,2})?|printf(?: -- )?(?: \\{0,7}["']?%s(?:\\{1,8}n)?\\{0,7}["']?)?|cat <<<) ?(?=\\{0,7}["'])/;

/**
 * Passes a call around a value (`String::from("X")`, `[]byte("X")`), and says whether it is known
 * to make a value of it.
 */
export function afterWrapper(
  scan: Scan,
  index: number,
): { readonly valueStart: number; readonly isMaker: boolean } | undefined {
  const { text } = scan;
  if (!isAt(text, index, charClasses.letter) && text[index] !== "[" && text[index] !== "(") {
    return afterPrinter(text, index);
  }
  const start =
    index + (/^(?:new|await|try|yield) /.exec(text.slice(index, index + 6))?.[0].length ?? 0);
  let at = start;
  const stop = start + wrapperCharsMax;
  while (at < stop && isCallee(text, at)) at++;
  spend(scan, at - index + 1);
  if (text[at] !== "(" || quoteAt(text, at + 1) === undefined) return undefined;
  const callee = text.slice(start, at);
  return {
    valueStart: at + 1,
    isMaker: text.startsWith("new ", index) || callee === "" || makers().test(callee),
  };
}

function afterPrinter(text: string, index: number): ReturnType<typeof afterWrapper> {
  if (text[index] !== "$" && text[index] !== "`") return undefined;
  const printed = printer().exec(text.slice(index, index + 48));
  return printed === null ? undefined : { valueStart: index + printed[0].length, isMaker: true };
}

function isCallee(text: string, at: number): boolean {
  return isAt(text, at, charClasses.dotted) || ":<>![]".includes(text[at] ?? "\n");
}
