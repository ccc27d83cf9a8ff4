import {
  compactState,
  expandState,
  NewRecord,
  tombstone,
  type CompactClock,
  type CompactRecord,
  type JsonObject,
  type RecordId,
  type RecordState,
  type WriterId,
} from "@tidemark/protocol";

/** A record as a row holds it: the compact form with its two maps as text. */
export interface StoredForm {
  readonly id: RecordId;
  readonly collection: string;
  readonly parent: RecordId | null;
  /** The rest is null for a tombstone. */
  readonly lamport: number | null;
  readonly writer: WriterId | null;
  readonly at: number | null;
  readonly fields: string | null;
  readonly clocks: string | null;
}

const forms = new WeakMap<RecordState, StoredForm>();

/** Gives the row of a state, made once: its size is judged before it is stored. */
export function storedForm(state: RecordState): StoredForm {
  if (state instanceof NewRecord) return formOfNew(state);
  const known = forms.get(state);
  if (known !== undefined) return known;
  const form = makeForm(state);
  forms.set(state, form);
  return form;
}

function makeForm(state: RecordState): StoredForm {
  const compact = compactState(state);
  const { id, collection } = compact;
  if ("forgotten" in compact) {
    return {
      id,
      collection,
      parent: null,
      lamport: null,
      writer: null,
      at: null,
      fields: null,
      clocks: null,
    };
  }
  const { lamport, writer, at, fields, clocks, parent } = compact;
  return {
    id,
    collection,
    parent: parent ?? null,
    lamport,
    writer,
    at,
    fields: JSON.stringify(fields),
    clocks: clocks === undefined ? null : JSON.stringify(clocks),
  };
}

function formOfNew(state: NewRecord): StoredForm {
  const { id, collection, parent } = state;
  return { id, collection, parent: parent ?? null, ...state.text, clocks: null };
}

/** Gives the state of a row. */
export function stateOfForm(form: StoredForm): RecordState {
  if (form.fields === null) return tombstone(form.id, form.collection);
  const compact: CompactRecord = {
    id: form.id,
    collection: form.collection,
    ...(form.parent === null ? {} : { parent: form.parent }),
    lamport: form.lamport ?? 0,
    writer: form.writer ?? ("" as WriterId),
    at: form.at ?? 0,
    fields: JSON.parse(form.fields) as JsonObject,
    ...(form.clocks === null ? {} : { clocks: clocksOfForm(form.clocks) }),
  };
  return expandState(compact);
}

/** The NDJSON line of a row, spliced from its text; `via` names who delivered it in a heal. */
export function lineOfForm(seq: number, form: StoredForm, via?: WriterId | null): string {
  const deliverer = via === undefined || via === null ? "" : `,"via":"${via}"`;
  const head = `{"seq":${seq},"id":"${form.id}","collection":"${form.collection}"${deliverer}`;
  if (form.fields === null) return `${head},"forgotten":true}`;
  const parent = form.parent === null ? "" : `,"parent":"${form.parent}"`;
  const clock = `,"lamport":${form.lamport},"writer":"${form.writer}","at":${form.at}`;
  const clocks = form.clocks === null ? "" : `,"clocks":${form.clocks}`;
  return `${head}${parent}${clock},"fields":${form.fields}${clocks}}`;
}

/** Every writer that the clocks of a row name. */
export function writersOfForm(form: StoredForm): readonly WriterId[] {
  if (form.writer === null) return [];
  if (form.clocks === null) return [form.writer];
  const later = Object.values(clocksOfForm(form.clocks)).map(([, writer]) => writer);
  return [...new Set([form.writer, ...later])];
}

function clocksOfForm(text: string): Readonly<Record<string, CompactClock>> {
  return JSON.parse(text) as Readonly<Record<string, CompactClock>>;
}
