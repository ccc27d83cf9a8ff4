/**
 * What the SQLite driver made, for as long as the process lives. From Node 24.19 on an object of its
 * that is collected while no script runs ends the process with an abort; the driver's next version does
 * not run on Node 20 (ADR 40). A closed connection has given back all but the shells of its statements.
 */
const made: object[] = [];

/** Keeps what the driver made from being collected (ST22); gives it. */
export function keepMade<T extends object>(one: T): T {
  made.push(one);
  return one;
}
