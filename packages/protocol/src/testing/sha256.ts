import { createHash } from "node:crypto";
import type { Sha256 } from "../hash.ts";

/** The real hash, for tests only: the package itself gets it passed in. */
export const sha256: Sha256 = (text) => createHash("sha256").update(text, "utf8").digest();
