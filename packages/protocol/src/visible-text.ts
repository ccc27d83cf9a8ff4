// Controls, bidirectional, zero-width and tag characters, fillers, lone surrogates, and whatever else
// Unicode says is drawn as nothing (UAX #44, Default_Ignorable_Code_Point).
const hidden = (): RegExp => /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{DI}]/gu;

/** They say how the character before them is drawn; in a row, they spell what nobody sees. */
const selectors = (): RegExp =>
  /[\u{180B}-\u{180D}\u{180F}\u{FE00}-\u{FE0F}\u{E0100}-\u{E01EF}]+/gu;

/**
 * A text without characters that hide or turn what it says, which a person does not see and a model
 * reads all the same (RC5); ends of lines stay, as line feeds.
 */
export function visibleText(text: string): string {
  return text
    .replaceAll(/\r\n?/gu, "\n")
    .replaceAll(selectors(), "")
    .replaceAll(hidden(), (character) => (character === "\n" ? "\n" : " "));
}
