import {
  mustsOf,
  type Corpus,
  type Negative,
  type Positive,
  secretsOf,
  windowsOf,
} from "../corpus/case.ts";
import { keepsJson } from "./json.ts";
import { compareSurroundings } from "./surroundings.ts";

/** Something that takes secrets out of texts. */
export interface Subject {
  readonly name: string;
  /** Gives the rewritten text. */
  readonly rewrite: (text: string) => string;
  /** Does the same where personal data is asked for too; `rewrite` if it knows no difference. */
  readonly rewritePersonal?: (text: string) => string;
  /** Matches what it puts in the place of a secret. */
  readonly placeholder: RegExp;
  /** Whether a placeholder tells which secret it stands for. */
  readonly hasTags: boolean;
}

/** What became of a case with secrets. */
export interface PositiveVerdict {
  readonly of: Positive;
  readonly output: string;
  readonly isRemoved: boolean;
  readonly isContextKept: boolean;
  readonly chars: number;
  readonly destroyed: number;
  readonly isIdempotent: boolean;
  readonly isJsonKept: boolean | undefined;
}

/** What became of a case without secrets. */
export interface NegativeVerdict {
  readonly of: Negative;
  readonly output: string;
  readonly isKept: boolean;
  readonly isJsonKept: boolean | undefined;
}

/** A count out of a count. */
export interface Share {
  readonly good: number;
  readonly all: number;
}

/** All verdicts on a subject. */
export interface Quality {
  readonly positives: readonly PositiveVerdict[];
  readonly negatives: readonly NegativeVerdict[];
  /** The same where personal data is asked for too. */
  readonly personalNegatives: readonly NegativeVerdict[];
  /** Notations in which a secret got the placeholder it has in the plain text. */
  readonly same: Share;
  readonly sameMisses: readonly string[];
  readonly different: Share;
  readonly differentMisses: readonly string[];
}

/** Judges every case of a corpus. */
export function measureQuality(corpus: Corpus, subject: Subject): Quality {
  return {
    positives: corpus.positives.map((each) => judgePositive(each, subject)),
    negatives: corpus.negatives.map((each) => judgeNegative(each, subject.rewrite)),
    personalNegatives: corpus.negatives.map((each) => judgeNegative(each, personalOf(subject))),
    ...(subject.hasTags ? judgeTags(corpus, subject) : noTags),
  };
}

const noTags = {
  same: { good: 0, all: 0 },
  sameMisses: [],
  different: { good: 0, all: 0 },
  differentMisses: [],
} as const;

function personalOf({ rewrite, rewritePersonal = rewrite }: Subject): Subject["rewrite"] {
  return rewritePersonal;
}

function judgePositive(of: Positive, subject: Subject): PositiveVerdict {
  const rewrite = of.priority === "P3" ? personalOf(subject) : subject.rewrite;
  const output = rewrite(of.text);
  return {
    of,
    output,
    isRemoved: !secretsOf(of).some((secret) =>
      windowsOf(secret, of.prefix).some((window) => output.includes(window)),
    ),
    isContextKept: mustsOf(of).every((must) => output.includes(must)),
    ...compareSurroundings(of, output, subject.placeholder),
    isIdempotent: rewrite(output) === output,
    isJsonKept: keepsJson(of.text, output),
  };
}

function judgeNegative(of: Negative, rewrite: Subject["rewrite"]): NegativeVerdict {
  const output = rewrite(of.text);
  return { of, output, isKept: output === of.text, isJsonKept: keepsJson(of.text, output) };
}

function judgeTags(
  { twins, rivals }: Corpus,
  subject: Subject,
): Pick<Quality, "same" | "sameMisses" | "different" | "differentMisses"> {
  const tagsOf = (text: string): string =>
    [...new Set(subject.rewrite(text).match(subject.placeholder))].toSorted().join(" ");
  const same = twins.flatMap(({ id, texts }) => {
    const [plain = "", ...others] = texts.map(tagsOf);
    // What is not found plain is a miss of another measure.
    return plain === "" ? [] : others.map((tags, at) => ({ id: `${id}.${at + 1}`, isGood: tags === plain })); // prettier-ignore
  });
  const different = rivals.flatMap(({ id, texts }) => {
    const [one, other] = texts.map(tagsOf);
    return one === "" || other === "" ? [] : [{ id, isGood: one !== other }];
  });
  return {
    same: shareOf(same, ({ isGood }) => isGood),
    sameMisses: same.filter(({ isGood }) => !isGood).map(({ id }) => id),
    different: shareOf(different, ({ isGood }) => isGood),
    differentMisses: different.filter(({ isGood }) => !isGood).map(({ id }) => id),
  };
}

/** How many of some pass a test. */
export function shareOf<T>(list: readonly T[], isGood: (each: T) => boolean): Share {
  return { good: list.filter(isGood).length, all: list.length };
}
