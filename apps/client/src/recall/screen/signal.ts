/** What a text that talks to agents gives away, by family; the reading guide of a person who decides. */
export type Signal =
  /** Tells the reader to drop what it was told before. */
  | "override"
  /** Stands as if the host, the person or the model itself had said it: roles, tools, templates. */
  | "role-marks"
  /** Speaks to an agent, not to people. */
  | "to-agents"
  /** Claims the word of somebody with the right to give orders. */
  | "authority"
  /** Wants things kept from the person. */
  | "concealment"
  /** Wants something sent to somewhere. */
  | "exfiltration"
  /** Wants something from the network run. */
  | "remote-code"
  /** Wants a safeguard off. */
  | "safeguards"
  /** Waits for something that the person says or does. */
  | "trigger"
  /** Wants to be kept and repeated. */
  | "persistence"
  /** Wants something installed from, or sent to, a place that it names. */
  | "source"
  /** Holds what people do not see. */
  | "hidden"
  /** Holds an encoded text that says one of these. */
  | "encoded";

/** Keeps the stronger of two showings of one family. */
export function raise(weights: Map<Signal, number>, signal: Signal, weight: number): void {
  weights.set(signal, Math.max(weights.get(signal) ?? 0, weight));
}
