import { backslashesBefore } from "./escapes.ts";
import { type Atom, type Candidate, namedLabel, type Scan } from "./scan.ts";

/** One stretch to be replaced, and the candidate that names it. */
export interface Span {
  readonly start: number;
  readonly end: number;
  readonly lead: Candidate;
  readonly kind: string;
  readonly label: string;
  readonly canonical: string;
}

/** Joins overlapping candidates into spans, in order, with placeholders left whole. */
export function mergeCandidates(scan: Scan): Span[] {
  const { text } = scan;
  if (scan.candidates.length === 0) return [];
  const cut = withoutAtoms(scan.candidates, scan.atoms);
  cut.sort((left, right) => left.start - right.start || right.end - left.end);
  const spans: Span[] = [];
  let group: Candidate[] = [];
  let end = -1;
  for (const candidate of cut) {
    if (candidate.start >= end && group.length > 0) {
      spans.push(spanOf(text, group, end));
      group = [];
    }
    group.push(candidate);
    end = group.length === 1 ? candidate.end : Math.max(end, candidate.end);
  }
  if (group.length > 0) spans.push(spanOf(text, group, end));
  return spans.filter((span) => span.end > span.start);
}

/** Cuts each candidate off before the first placeholder in it; private stretches take all. */
function withoutAtoms(candidates: readonly Candidate[], atoms: readonly Atom[]): Candidate[] {
  if (atoms.length === 0) return [...candidates];
  return candidates.flatMap((candidate) => {
    if (candidate.kind === "private") return [candidate];
    const atom = firstAtomIn(atoms, candidate);
    if (atom === undefined) return [candidate];
    if (atom.start <= candidate.start) return [];
    return [{ ...candidate, end: atom.start, canonical: undefined, valid: undefined }];
  });
}

function firstAtomIn(atoms: readonly Atom[], candidate: Candidate): Atom | undefined {
  let low = 0;
  let high = atoms.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((atoms[middle] as Atom).end > candidate.start) high = middle;
    else low = middle + 1;
  }
  const atom = atoms[low];
  return atom !== undefined && atom.start < candidate.end ? atom : undefined;
}

function spanOf(text: string, group: readonly Candidate[], groupEnd: number): Span {
  const groupStart = (group[0] as Candidate).start;
  const covers = (each: Candidate): boolean => each.start === groupStart && each.end === groupEnd;
  let lead = group[0] as Candidate;
  for (const each of group) {
    const isBetter = covers(each) === covers(lead) ? each.rank > lead.rank : covers(each);
    if (isBetter) lead = each;
  }
  const { start, end } = snapToEscapes(text, groupStart, groupEnd);
  const isWhole = covers(lead);
  const owner = lead.isShared ? group.find((each) => each.isOwned && covers(each)) : undefined;
  const canonical = (isWhole ? lead.canonical : undefined) ?? text.slice(start, end);
  const kind = owner?.kind ?? lead.kind;
  return { start, end, lead, kind, label: isWhole ? lead.label : namedLabel, canonical };
}

/** Moves the ends of a span so that neither lies inside an escape sequence. */
function snapToEscapes(text: string, from: number, to: number): { start: number; end: number } {
  const start = backslashesBefore(text, from) % 2 === 1 ? from - 1 : from;
  const trailing = Math.min(backslashesBefore(text, to), to - start);
  return { start, end: trailing % 2 === 1 && to < text.length ? to - 1 : to };
}
