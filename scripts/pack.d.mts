/** A packed archive, as npm describes it. */
export interface Archive {
  readonly name: string;
  readonly version: string;
  readonly path: string;
  readonly files: readonly { readonly path: string }[];
}

export function packAll(out: string): readonly Archive[];
