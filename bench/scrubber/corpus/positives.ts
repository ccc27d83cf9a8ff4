import { bindingForms } from "../forms/bindings.ts";
import { configForms } from "../forms/config.ts";
import { canHold, createField, type Form } from "../forms/form.ts";
import { httpForms } from "../forms/http.ts";
import { outputForms } from "../forms/output.ts";
import { shellForms } from "../forms/shell.ts";
import { sourceForms } from "../forms/source.ts";
import { aiKinds } from "../kinds/ai.ts";
import { cloudKinds } from "../kinds/cloud.ts";
import { codeHostKinds } from "../kinds/code-hosts.ts";
import { commandKinds } from "../kinds/commands.ts";
import { connectionKinds } from "../kinds/connections.ts";
import { fileKinds } from "../kinds/files.ts";
import { messagingKinds } from "../kinds/messaging.ts";
import { personalKinds } from "../kinds/personal.ts";
import { platformKinds } from "../kinds/platforms.ts";
import { privateKeyKinds } from "../kinds/private-keys.ts";
import { registryAndMoneyKinds } from "../kinds/registries-and-money.ts";
import { serviceKinds } from "../kinds/services.ts";
import { sessionKinds } from "../kinds/sessions.ts";
import { positive, type Positive, type Rivals, type Twins } from "./case.ts";
import type { Kind, SnippetKind, ValueKind } from "./kind.ts";
import { layers, type Layer } from "./layers.ts";
import { unmarked } from "./marks.ts";
import { createRandom, type Random } from "./random.ts";

/** Every kind there is. */
export const kinds: readonly Kind[] = [
  ...privateKeyKinds,
  ...cloudKinds,
  ...codeHostKinds,
  ...aiKinds,
  ...sessionKinds,
  ...connectionKinds,
  ...fileKinds,
  ...commandKinds,
  ...registryAndMoneyKinds,
  ...messagingKinds,
  ...platformKinds,
  ...serviceKinds,
  ...personalKinds,
];

/** Every form of a secret that is one value. */
export const forms: readonly Form[] = [
  ...configForms,
  ...shellForms,
  ...httpForms,
  ...sourceForms,
  ...outputForms,
  ...bindingForms,
];

const valueCases = { P0: 16, P1: 14, P2: 8, P3: 8 } as const;
const snippetCases = { P0: 9, P1: 6, P2: 8, P3: 10 } as const;
const noPrefixForms = new Set(["whole text", "path of a URL", "unnamed query"]);

/** Draws every case with secrets in it. */
export function drawPositives(seed: string): readonly Positive[] {
  return kinds.flatMap((kind) => {
    const random = createRandom(`${seed}/${kind.id}`);
    return isSnippet(kind) ? snippetPositives(kind, random) : valuePositives(kind, random);
  });
}

function isSnippet(kind: Kind): kind is SnippetKind {
  return "form" in kind;
}

function snippetPositives(kind: SnippetKind, random: Random): readonly Positive[] {
  return Array.from({ length: snippetCases[kind.priority] }, (_, index) => {
    const layer = index === 0 ? plain : drawLayer(random, ({ isForValues }) => !isForValues);
    return positive(
      {
        id: `${kind.id}.${index}`,
        kind: kind.id,
        priority: kind.priority,
        form: kind.form,
        layer: layer.id,
        prefix: "",
        isNamed: false,
        hasChecksum: kind.hasChecksum ?? false,
      },
      layer.wrap(kind.draw(random), random),
    );
  });
}

function valuePositives(kind: ValueKind, random: Random): readonly Positive[] {
  const order = random.shuffled(forms.filter((form) => fits(form, kind)));
  return Array.from({ length: valueCases[kind.priority] }, (_, index) => {
    const value = kind.draw(random);
    const form = order.slice(index).find((each) => canHold(each, value)) ?? order[0];
    if (form === undefined) throw new Error(`${kind.id} fits no form`);
    const layer = index === 0 ? plain : drawLayer(random, (each) => suits(each, form, kind));
    const field = createField(random.pick(kind.names), value);
    return positive(
      {
        id: `${kind.id}.${index}`,
        kind: kind.id,
        priority: kind.priority,
        form: form.id,
        layer: layer.id,
        prefix: kind.prefix,
        isNamed: kind.isNamed,
        hasChecksum: false,
      },
      layer.wrap(form.write(field, random), random),
    );
  });
}

function fits(form: Form, kind: ValueKind): boolean {
  if (form.hasName) return true;
  return !kind.isNamed && (kind.prefix.length > 0 || !noPrefixForms.has(form.id));
}

/** A cut or broken secret is told by how it begins, or, if it is cut, by its name. */
function suits(layer: Layer, form: Form, kind: ValueKind): boolean {
  if (layer.isForValues === undefined) return true;
  if (layer.isForValues === true && form.hasName) return true;
  return !kind.isNamed && kind.prefix.length > 2 && form.id !== "whole text";
}

const plain = layerOf("plain");

function layerOf(id: string): Layer {
  const found = layers.find((layer) => layer.id === id);
  if (found === undefined) throw new Error(`no layer ${id}`);
  return found;
}

function drawLayer(random: Random, isFit: (layer: Layer) => boolean): Layer {
  const fit = layers.filter(isFit);
  let left = random.next() * fit.reduce((sum, { weight }) => sum + weight, 0);
  for (const layer of fit) {
    left -= layer.weight;
    if (left < 0) return layer;
  }
  return plain;
}

/** The same snippet in every notation, for each kind once. */
export function drawTwins(seed: string): readonly Twins[] {
  const notations = layers.filter(({ isNotation }) => isNotation);
  return kinds
    .filter(({ priority }) => priority !== "P3")
    .map((kind) => {
      const random = createRandom(`${seed}/twins/${kind.id}`);
      const marked = drawSnippet(kind, random);
      return {
        id: `twins.${kind.id}`,
        texts: notations.map((layer) => unmarked(layer.wrap(marked, random))),
      };
    });
}

/** Two secrets of each kind in the same form. */
export function drawRivals(seed: string): readonly Rivals[] {
  return kinds
    .filter((kind): kind is ValueKind => !isSnippet(kind))
    .map((kind) => {
      const random = createRandom(`${seed}/rivals/${kind.id}`);
      const form = random.pick(forms.filter((each) => each.hasName && each.isQuoted));
      const name = random.pick(kind.names);
      const write = (): string =>
        unmarked(form.write(createField(name, kind.draw(random)), random));
      return { id: `rivals.${kind.id}`, texts: [write(), write()] };
    });
}

function drawSnippet(kind: Kind, random: Random): string {
  if (isSnippet(kind)) return kind.draw(random);
  const value = kind.draw(random);
  const fit = forms.filter((form) => fits(form, kind) && canHold(form, value));
  return random.pick(fit).write(createField(random.pick(kind.names), value), random);
}
