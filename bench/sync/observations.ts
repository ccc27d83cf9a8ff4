/** One generated observation as an export line carries it. */
export interface GeneratedObservation {
  readonly id: string;
  readonly fields: Readonly<Record<string, unknown>>;
}

const words = (
  "session cache retry parser schema migration worker socket index cursor outbox vector lamport " +
  "clock merge token branch commit deploy build test fixture replica namespace query plan lock " +
  "queue stream handler router config secret binding render cursor batch buffer window backoff"
).split(" ");

/** Makes `count` observations of about 1 KB each; the same seed makes the same ones. */
export function generateObservations(count: number, seed = 1): readonly GeneratedObservation[] {
  const make = createObservations(seed);
  return Array.from({ length: count }, (_, index) => make(index));
}

/**
 * Makes one observation after the other; the same seed makes the same ones. Each twenty share a
 * word that no others have (`group0`, `group1`, …).
 */
export function createObservations(seed: number): (index: number) => GeneratedObservation {
  const next = createSequence(seed);
  const text = (length: number): string =>
    Array.from({ length }, () => words[next() % words.length]).join(" ");
  return (index) => ({
    id: `bench${String(index).padStart(8, "0")}`,
    fields: {
      kind: "note",
      title: `${text(8)} group${Math.floor(index / 20)}`,
      narrative: text(75),
      facts: [text(9), text(9)],
      concepts: [text(1), text(1)],
      filesRead: [],
      filesModified: [`src/${text(1)}/${text(1)}-${index % 97}.ts`],
      project: "git:example.org/bench/project",
      origin: "user",
      createdAt: 1_795_000_000_000 + index,
    },
  });
}

// Park-Miller: small, seeded, good enough to spread words.
function createSequence(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 48_271) % 2_147_483_647;
    return state;
  };
}

/** The export lines that bring observations into a personal namespace, or into another one. */
export function exportText(rows: readonly GeneratedObservation[], namespace = "personal"): string {
  return rows
    .map(({ id, fields }, index) =>
      JSON.stringify({
        namespace,
        id,
        collection: "observation",
        lamport: index + 1,
        writer: "bench",
        at: fields["createdAt"],
        fields,
      }),
    )
    .join("\n");
}
