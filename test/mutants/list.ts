/** Bugs that were made, or nearly made, in systems of this kind; each breaks a promise of SPEC.md. */
import { clientMutants } from "./client-mutants.ts";
import { engineMutants } from "./engine-mutants.ts";
import type { Mutant } from "./mutant.ts";
import { protocolMutants } from "./protocol-mutants.ts";
import { sealedMutants } from "./sealed-mutants.ts";
import { serverMutants } from "./server-mutants.ts";

/** Every planted bug. */
export const mutants: readonly Mutant[] = [
  ...clientMutants,
  ...engineMutants,
  ...serverMutants,
  ...protocolMutants,
  ...sealedMutants,
];
