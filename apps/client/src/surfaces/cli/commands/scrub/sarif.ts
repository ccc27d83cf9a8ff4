import type { FileFinding } from "./listing.ts";

const levels = { high: "error", medium: "warning", low: "note" } as const;

/**
 * Findings as a SARIF 2.1.0 log (CL45), as code hosts read them. Each kind is a rule; a result
 * carries the tag, so that a host knows the same secret again, and never a value.
 */
export function sarifLog(findings: readonly FileFinding[], version: string): object {
  const kinds = [...new Set(findings.map(({ finding }) => finding.kind))].toSorted();
  return {
    $schema: "https://json.schemastore.org/sarif-2.1.0.json",
    version: "2.1.0",
    runs: [
      {
        tool: {
          driver: { name: "tidemark scrub", semanticVersion: version, rules: kinds.map(ruleOf) },
        },
        columnKind: "utf16CodeUnits",
        results: findings.map((each) => resultOf(each, kinds.indexOf(each.finding.kind))),
      },
    ],
  };
}

function ruleOf(kind: string): object {
  const words = kind.replaceAll("_", " ");
  return {
    id: kind,
    shortDescription: { text: `A secret or personal data: ${words}` },
    help: {
      text:
        "Take it out of the file, and have a secret revoked by who issued it. What is none can be " +
        "allowed by its tag in .tidemark/scrub.toml.",
    },
    defaultConfiguration: { level: "error" },
  };
}

function resultOf({ path, finding, start, end }: FileFinding, ruleIndex: number): object {
  const { kind, ruleId, layer, confidence, valid, placeholderTag } = finding;
  return {
    ruleId: kind,
    ruleIndex,
    level: levels[confidence],
    message: { text: `${kind.replaceAll("_", " ")} found by ${ruleId} (${confidence} confidence)` },
    locations: [
      {
        physicalLocation: {
          artifactLocation: { uri: path.split("/").map(encodeURIComponent).join("/") },
          region: {
            startLine: start.line,
            startColumn: start.column,
            ...(end === undefined ? {} : { endLine: end.line, endColumn: end.column }),
          },
        },
      },
    ],
    partialFingerprints: { "tag/v1": placeholderTag },
    properties: { rule: ruleId, layer, confidence, ...(valid === undefined ? {} : { valid }) },
  };
}
