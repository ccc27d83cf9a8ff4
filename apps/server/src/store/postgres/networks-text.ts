/** Networks as a column keeps them; null where any will do. */
export function networksToText(networks: readonly string[] | undefined): string | null {
  return networks === undefined ? null : networks.join(" ");
}

/** What {@link networksToText} has kept. */
export function textToNetworks(text: string | null): readonly string[] | undefined {
  return text === null ? undefined : text.split(" ");
}
