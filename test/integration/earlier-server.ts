/** The answer to a push as servers gave it before they told of advances (PS12). */
export function withoutAdvance(text: string): string {
  const { advance: _advance, ...told } = JSON.parse(text) as Readonly<Record<string, unknown>>;
  return JSON.stringify(told);
}
