import { visibleText } from "@tidemark/protocol";
import { isHeld, screen } from "./screen/screen.ts";

/** Whoever may name a namespace need not be this device's own person. */
const strangersTrust = 1;

/**
 * What an agent is told of a name that somebody else may have chosen (MC12): one line, scrubbed and
 * without what people do not see. Null where its words are meant for the agent (RC19).
 */
export function shownName(name: string, scrub: (text: string) => string): string | null {
  const line = visibleText(scrub(name)).replaceAll("\n", " ");
  return isHeld(screen(line), strangersTrust) ? null : line;
}
