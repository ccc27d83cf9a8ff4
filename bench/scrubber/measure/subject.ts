import { createHmac } from "node:crypto";
import * as scrubberPackage from "../../../packages/scrubber/src/index.ts";
import type { Subject } from "./quality.ts";

/** A scrubber as the client builds it, with a key of the benchmark's own. */
export function benchScrubber(personalData: boolean = false): scrubberPackage.Scrubber {
  return scrubberPackage.createScrubber({
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

/** What a long stream takes in memory, or why that is not measured. */
export function streamMemory(): string {
  return "scrubStream" in scrubberPackage
    ? "memory of a long stream: scrubStream is there, and this benchmark does not know it yet"
    : "memory of a long stream: not measured, there is no scrubStream";
}
