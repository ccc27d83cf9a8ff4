import type { RulePlan } from "./compile.ts";

/**
 * The plan of the catalogue where a build has put it in this module's place; undefined where the
 * rules are planned at the first call. Compiling takes a cold process two milliseconds.
 */
export const catalogPlan: RulePlan | undefined = undefined;
