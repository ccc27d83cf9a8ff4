/** A terminal of a script's: what is said on it is kept, and nobody answers. */
export function createToldIo() {
  const told = { out: "", err: "" };
  const io = {
    out: (text: string): void => {
      told.out += text;
    },
    err: (text: string): void => {
      told.err += text;
    },
    isOutTty: false,
    isErrTty: false,
    hasColour: false,
    hasPerson: false,
  };
  return { io, told };
}
