import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import ts from "typescript";
import { expect, test } from "vitest";
import { errorKinds } from "../packages/protocol/src/errors.ts";

const root = fileURLToPath(new URL("..", import.meta.url));
const guide = readFileSync(join(root, "docs/guides/troubleshooting.md"), "utf8");

/** A row of the guide: the message as it is printed, its codes, what it means, what to do. */
interface Entry {
  readonly message: string;
  readonly codes: readonly string[];
  readonly meaning: string;
  readonly next: string;
}

const entries: readonly Entry[] = [
  ...guide.matchAll(/^\| (`[^|]+`) \| ((?:`[^`|]+`(?:, )?)+) \| ([^|]+) \| ([^|]+) \|$/gm),
].map(([, message = "", codes = "", meaning = "", next = ""]) => ({
  message: message.replace(/^`+ ?| ?`+$/g, ""),
  codes: codes.split(", ").map((code) => code.replaceAll("`", "")),
  meaning,
  next,
}));

function sourcesIn(folder: string): readonly ts.SourceFile[] {
  return readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
    .filter((name) => /\.tsx?$/.test(name) && !/\.test\.|testing\//.test(name))
    .map((name) => {
      const path = join(root, folder, name);
      return ts.createSourceFile(path, readFileSync(path, "utf8"), ts.ScriptTarget.Latest, true);
    });
}

const client = sourcesIn("apps/client/src");
const server = sourcesIn("apps/server/src");

function nodesIn(node: ts.Node): readonly ts.Node[] {
  const found: ts.Node[] = [node];
  ts.forEachChild(node, (child) => {
    found.push(...nodesIn(child));
  });
  return found;
}

/** Texts of a piece of source, with `…` where a value stands. */
function textsIn(source: ts.Node): readonly string[] {
  return nodesIn(source).flatMap((node) => {
    if (ts.isStringLiteral(node) || ts.isNoSubstitutionTemplateLiteral(node)) return [node.text];
    if (!ts.isTemplateExpression(node)) return [];
    return [[node.head.text, ...node.templateSpans.map(({ literal }) => literal.text)].join("…")];
  });
}

function memberOf(node: ts.ObjectLiteralExpression, name: string) {
  return node.properties.find((property) => property.name?.getText() === name);
}

/** What a code may be: a literal, a choice of literals, or the constant of the same file. */
function codesOf(node: ts.ObjectLiteralExpression, name: string): readonly string[] {
  const member = memberOf(node, name);
  if (member === undefined) return [];
  if (ts.isPropertyAssignment(member)) return literalsOf(member.initializer);
  const declared = nodesIn(node.getSourceFile()).filter(
    (each) => ts.isVariableDeclaration(each) && each.name.getText() === name,
  );
  return declared.flatMap((each) =>
    ts.isVariableDeclaration(each) && each.initializer ? literalsOf(each.initializer) : [],
  );
}

function literalsOf(node: ts.Expression): readonly string[] {
  if (ts.isStringLiteral(node)) return [node.text];
  if (!ts.isConditionalExpression(node)) return [];
  return [...literalsOf(node.whenTrue), ...literalsOf(node.whenFalse)];
}

/** Every code that stands in the source beside a message and a hint. */
function codesBesideMessages(
  sources: readonly ts.SourceFile[],
  name: "code" | "kind" = "code",
): readonly string[] {
  const objects = sources.flatMap(nodesIn).filter(ts.isObjectLiteralExpression);
  const told = objects.filter((node) => memberOf(node, "message") && memberOf(node, "hint"));
  return told.flatMap((node) => codesOf(node, name)).filter((code) => /^[a-z][a-z-]+$/.test(code));
}

/** The keys of a table of words: each is a code. */
function keysOf(sources: readonly ts.SourceFile[], file: string, table: string): readonly string[] {
  const source = sources.find(({ fileName }) => fileName.endsWith(file));
  if (source === undefined) throw new Error(`${file} is gone`);
  const declared = nodesIn(source).find(
    (node): node is ts.VariableDeclaration =>
      ts.isVariableDeclaration(node) && node.name.getText() === table,
  );
  const value = declared?.initializer;
  if (value === undefined || !ts.isObjectLiteralExpression(value)) throw new Error(`no ${table}`);
  return value.properties.map((each) => (each.name?.getText() ?? "").replaceAll('"', ""));
}

const clientCodes = [
  ...codesBesideMessages(client),
  ...keysOf(client, "sync/access/access-error.ts", "wordsByCode"),
  ...keysOf(client, "memory/explain.ts", "words"),
  ...keysOf(client, "store/store-error.ts", "hints").map((kind) => `store-${kind}`),
];

const serverCodes = [
  ...codesBesideMessages(sourcesIn("apps/server/src/cli")),
  ...codesBesideMessages(sourcesIn("apps/server/src/platform"), "kind"),
];

test("[OPS89] every message that the guide of troubles quotes stands in a program's source", () => {
  const texts = new Set([
    ...[...client, ...server].flatMap(textsIn),
    ...client
      .filter(({ fileName }) => /http\/(?:failures|way-trouble)\.ts$/.test(fileName))
      .flatMap(textsIn)
      .map(lineOf),
    ...Object.values(errorKinds).map(({ title }) => lineOf(title)),
  ]);
  const invented = entries.filter(({ message }) => !texts.has(message));
  expect(invented.map(({ message }) => message).join("\n")).toBe("");
  expect(entries.length).toBeGreaterThan(80);
});

/** A title of the protocol as the command line prints it. */
function lineOf(title: string): string {
  return title.charAt(0).toLowerCase() + title.slice(1).replace(/\.$/, "");
}

test.each([
  ["tidemark", clientCodes],
  ["tidemark-server", serverCodes],
])("[OPS89] every code that %s can end with is in the guide of troubles", (_, codes) => {
  // The few without a text of their own are named below the tables.
  const named = [...(guide.split("\nThree more ")[1] ?? "").matchAll(/`([a-z-]+)`/g)];
  const told = new Set([...entries.flatMap((entry) => entry.codes), ...named.map(([, it]) => it)]);
  expect([...new Set(codes)].filter((code) => !told.has(code)).toSorted()).toEqual([]);
  expect(new Set(codes).size).toBeGreaterThan(15);
});

test("[OPS89] every code in the guide of troubles is one that a program has", () => {
  const texts = new Set([...client, ...server].flatMap(textsIn));
  const known = new Set([...texts, ...clientCodes, ...Object.keys(errorKinds)]);
  const isKnown = (code: string): boolean =>
    known.has(code) || known.has(code.replace(/-.*/, "-…"));
  const invented = entries.flatMap(({ codes }) => codes).filter((code) => !isKnown(code));
  expect(invented).toEqual([]);
});
