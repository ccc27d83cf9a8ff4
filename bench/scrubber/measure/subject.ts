import { createHmac } from "node:crypto";
import { createScrubber, type Scrubber } from "../../../packages/scrubber/src/index.ts";
import type { Subject } from "./quality.ts";

/** A scrubber as the client builds it, with a key of the benchmark's own. */
export function benchScrubber(personalData: boolean = false): Scrubber {
  return createScrubber({
    personalData,
    hmac: (message) => createHmac("sha256", "bench").update(message).digest(),
  });
}

/** This project's scrubber as a subject. */
export function createSubject(): Subject {
  const scrubber = benchScrubber();
  const personal = benchScrubber(true);
  return {
    name: "tidemark",
    rewrite: (text) => scrubber.scrub(text).text,
    rewritePersonal: (text) => personal.scrub(text).text,
    placeholder: /__SECRET_[a-z0-9]+(?:_[a-z0-9]+)*?_[a-z2-7]{12}__/g,
    hasTags: true,
  };
}
