/** Text in the few colours the demo uses. Where colour is not wanted, text as it is. */
export function createColours(isOn) {
  const paint = (code) => (text) => (isOn ? `\u001B[${code}m${text}\u001B[0m` : text);
  return {
    strong: paint("1"),
    quiet: paint("2"),
    good: paint("32"),
    bad: paint("31"),
    accent: paint("36"),
  };
}

/** Whether a stream wants colour: NO_COLOR beats FORCE_COLOR beats what the stream is. */
export function wantsColour(env, stream) {
  if ((env.NO_COLOR ?? "") !== "") return false;
  if ((env.FORCE_COLOR ?? "") !== "" && env.FORCE_COLOR !== "0") return true;
  return stream.isTTY === true && env.TERM !== "dumb";
}

/** Characters a text takes on the screen, colours left out. */
export function widthOf(text) {
  // oxlint-disable-next-line no-control-regex -- escape sequences are control characters
  return [...text.replaceAll(/\u001B\[[\d;]*m/g, "")].length;
}
