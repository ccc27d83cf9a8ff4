import { columns } from "../../render/text.ts";
import type { PlacedFinding } from "./places.ts";

/** A finding in a file that was looked through. */
export interface FileFinding extends PlacedFinding {
  /** As the person knows it: relative to the working folder, with slashes. */
  readonly path: string;
}

/** Findings as people read them: where, what, by which rule, in which form, how sure, its tag. */
export function listFindings(
  findings: readonly (PlacedFinding & { readonly path?: string })[],
): string {
  return columns(
    findings.map(({ path, finding, start }) => [
      `${path === undefined ? "" : `${path}:`}${start.line}:${start.column}`,
      finding.kind,
      finding.ruleId,
      finding.layer,
      finding.confidence,
      validText(finding.valid),
      finding.placeholderTag,
    ]),
  );
}

/** A finding as `--json` gives it. */
export function findingJson({
  finding,
  start,
  end,
}: PlacedFinding): Readonly<Record<string, unknown>> {
  const { kind, ruleId, layer, confidence, valid, placeholderTag } = finding;
  return {
    line: start.line,
    column: start.column,
    ...(end === undefined ? {} : { endLine: end.line, endColumn: end.column }),
    kind,
    rule: ruleId,
    layer,
    confidence,
    ...(valid === undefined ? {} : { valid }),
    tag: placeholderTag,
  };
}

function validText(valid: boolean | undefined): string {
  if (valid === undefined) return "-";
  return valid ? "valid" : "invalid";
}
