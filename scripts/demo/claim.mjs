/** A promise that was not kept; its message says which, for a person. */
export class BrokenClaim extends Error {
  constructor(claim, facts = "") {
    super(claim);
    this.name = "BrokenClaim";
    this.facts = facts;
  }
}

/** Goes on if it holds; else the demo ends with this claim as the reason. */
export function claim(holds, text, facts) {
  if (!holds) throw new BrokenClaim(text, typeof facts === "string" ? facts : show(facts));
}

function show(facts) {
  return facts === undefined ? "" : JSON.stringify(facts, undefined, 2);
}
