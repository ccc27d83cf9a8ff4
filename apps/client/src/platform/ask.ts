import { createInterface } from "node:readline/promises";

/** Asks a person on standard error; undefined where the input ends without an answer. */
export async function askPerson(question: string): Promise<string | undefined> {
  const reader = createInterface({ input: process.stdin, output: process.stderr });
  try {
    return await new Promise((resolve) => {
      reader.once("close", () => {
        resolve(undefined);
      });
      void reader.question(question).then(resolve, () => {
        resolve(undefined);
      });
    });
  } finally {
    reader.close();
  }
}
