import { findNodeAtLocation, parseTree, type Node } from "jsonc-parser";
import type { JsonValue } from "@tidemark/protocol";

/**
 * Changes of a JSON text that touch nothing but what they are about: an editor of JSON formats the
 * neighbours anew, and takes comments out that stand between them (IN2).
 */

/** A place in a JSON document: names of members and positions in arrays. */
export type JsonPath = readonly (string | number)[];

/** The text with a member set; what is missing on the way is made. */
export function withValue(text: string, path: JsonPath, value: JsonValue): string {
  const node = nodeAt(text, path);
  if (node === undefined) return withMember(text, path, value);
  const container = node.parent?.type === "property" ? node.parent.parent : node.parent;
  const indent = indentOfLine(text, node.offset);
  const written = asText(text, value, indent, isOneLine(text, container));
  return text.slice(0, node.offset) + written + text.slice(node.offset + node.length);
}

/** The text with a value behind the last one of an array, which is made where there is none. */
export function withAppended(text: string, path: JsonPath, value: JsonValue): string {
  const array = nodeAt(text, path);
  return array?.type === "array"
    ? inserted(text, array, (indent, isOne) => asText(text, value, indent, isOne))
    : withValue(text, path, [value]);
}

/** The text without a member or an element, its comma, and the lines that it had for itself. */
export function without(text: string, path: JsonPath): string {
  const value = nodeAt(text, path);
  const node = typeof path.at(-1) === "string" ? value?.parent : value;
  const parent = node?.parent;
  if (node === undefined || parent === undefined) return text;
  const siblings = parent.children ?? [];
  const left = cutsOf(text, node, siblings[siblings.indexOf(node) - 1])
    .toSorted((one, other) => other.from - one.from)
    .reduce((now, { from, to }) => now.slice(0, from) + now.slice(to), text);
  return siblings.length === 1 ? closedUp(left, parent.offset) : left;
}

/** What of a text goes with a node: its own comma, else the one behind the node before. */
function cutsOf(text: string, node: Node, before: Node | undefined): readonly Cut[] {
  const { offset: from } = node;
  const end = endOf(node);
  const comma = commaBehind(text, node);
  if (text[comma.from] !== ",") {
    const cut = aroundLines(text, { from, to: end }, false);
    return before === undefined ? [cut] : [cut, commaBehind(text, before)];
  }
  // A comment before the comma stays.
  const isBare = text.slice(end, comma.from).trim() === "";
  return isBare
    ? [aroundLines(text, { from, to: comma.to }, true)]
    : [aroundLines(text, { from, to: end }, true), comma];
}

interface Cut {
  readonly from: number;
  readonly to: number;
}

function nodeAt(text: string, path: JsonPath): Node | undefined {
  const root = parseTree(text, [], { allowTrailingComma: true });
  return root === undefined ? undefined : findNodeAtLocation(root, [...path]);
}

/** Puts a member into the deepest object on the way that is there, or in the place of a `null`. */
function withMember(text: string, path: JsonPath, value: JsonValue): string {
  for (let depth = path.length - 1; depth >= 0; depth -= 1) {
    const at = path.slice(0, depth);
    const object = nodeAt(text, at);
    if (object === undefined) continue;
    if (object.type !== "object") return withValue(text, at, nestedIn(path.slice(depth), value));
    const nested = nestedIn(path.slice(depth + 1), value);
    const name = JSON.stringify(path[depth]);
    return inserted(text, object, (indent, isOne) => {
      const space = isOne && !text.includes(": ") ? "" : " ";
      return `${name}:${space}${asText(text, nested, indent, isOne)}`;
    });
  }
  return text;
}

function nestedIn(path: JsonPath, value: JsonValue): JsonValue {
  return path.reduceRight<JsonValue>((inner, key) => ({ [key]: inner }), value);
}

type Item = (indent: string, isOneLine: boolean) => string;

function inserted(text: string, container: Node, item: Item): string {
  const last = container.children?.at(-1);
  return last === undefined
    ? filled(text, container, item)
    : joined(text, { container, last }, item);
}

/** Puts the first item into what is empty, behind comments that stand there. */
function filled(text: string, container: Node, item: Item): string {
  const close = endOf(container) - 1;
  const inside = text.slice(container.offset + 1, close).trimEnd();
  const head = text.slice(0, container.offset + 1) + inside;
  if (isOneLine(text, container)) return head + item("", true) + text.slice(close);
  const base = indentOfLine(text, container.offset);
  const { eol, unit } = styleOf(text);
  const own = base + unit;
  return `${head}${eol}${own}${item(own, false)}${eol}${base}${text.slice(close)}`;
}

/** Puts an item behind the last one, and behind a comment that stands on that one's line. */
function joined(
  text: string,
  { container, last }: { readonly container: Node; readonly last: Node },
  item: Item,
): string {
  const end = endOf(last);
  const at = passOver(text, end);
  const hasComma = text[at] === ",";
  const anchor = hasComma ? at + 1 : end;
  const head = hasComma ? text.slice(0, anchor) : `${text.slice(0, end)},`;
  if (isOneLine(text, container)) {
    const space = /[:,] /.test(text.slice(container.offset, endOf(container))) ? " " : "";
    return `${head}${space}${item("", true)}${text.slice(anchor)}`;
  }
  const rest = /^(?:[ \t]*(?:\/\/[^\r\n]*|\/\*[^\r\n]*?\*\/))+(?=[ \t]*\r?\n)/.exec(
    text.slice(anchor),
  );
  const note = rest?.[0] ?? "";
  const indent = indentOfLine(text, last.offset);
  const { eol } = styleOf(text);
  const written = `${eol}${indent}${item(indent, false)}${hasComma ? "," : ""}`;
  return `${head}${note}${written}${text.slice(anchor + note.length)}`;
}

/** What goes with something that is taken out: whole lines where it had them for itself. */
function aroundLines(text: string, { from, to }: Cut, isFollowed: boolean): Cut {
  const start = from - (/[ \t]*$/.exec(text.slice(0, from))?.[0].length ?? 0);
  const end = to + (/^[ \t]*/.exec(text.slice(to))?.[0].length ?? 0);
  const newline = /^(?:\r?\n|$)/.exec(text.slice(end))?.[0];
  const isLineStart = start === 0 || text[start - 1] === "\n";
  if (isLineStart && newline !== undefined) return { from: start, to: end + newline.length };
  return isFollowed && newline === undefined ? { from, to: end } : { from: start, to };
}

/** The comma behind a node that another one follows. */
function commaBehind(text: string, node: Node): Cut {
  const at = passOver(text, endOf(node));
  return { from: at, to: at + 1 };
}

/** Nothing but white space between two brackets goes with the last thing between them. */
function closedUp(text: string, open: number): string {
  const [white = ""] = /^\s*/.exec(text.slice(open + 1)) ?? [];
  const isEmpty = /[\]}]/.test(text[open + 1 + white.length] ?? "");
  return isEmpty ? text.slice(0, open + 1) + text.slice(open + 1 + white.length) : text;
}

/** The first place from here on that is neither white space nor a comment. */
function passOver(text: string, from: number): number {
  const passed = /^(?:\s|\/\/[^\r\n]*|\/\*[\s\S]*?\*\/)*/.exec(text.slice(from));
  return from + (passed?.[0].length ?? 0);
}

function endOf(node: Node): number {
  return node.offset + node.length;
}

/** Whether something stands in one line; an empty one does as the document does. */
function isOneLine(text: string, container: Node | undefined): boolean {
  if (container === undefined) return false;
  if ((container.children ?? []).length > 0) {
    return !text.slice(container.offset, endOf(container)).includes("\n");
  }
  return container.offset > 0 && !text.trim().includes("\n");
}

function indentOfLine(text: string, offset: number): string {
  const line = text.slice(text.lastIndexOf("\n", offset - 1) + 1);
  return /^[ \t]*/.exec(line)?.[0] ?? "";
}

function asText(text: string, value: JsonValue, indent: string, isOne: boolean): string {
  if (isOne) return JSON.stringify(value);
  const { eol, unit } = styleOf(text);
  return JSON.stringify(value, null, unit).replaceAll("\n", eol + indent);
}

/** As the file is indented and broken into lines already. */
function styleOf(text: string): { readonly unit: string; readonly eol: string } {
  const indent = /^([ \t]+)\S/m.exec(text)?.[1] ?? "  ";
  const eol = text.includes("\r\n") ? "\r\n" : "\n";
  return { unit: indent.startsWith("\t") ? "\t" : indent, eol };
}
