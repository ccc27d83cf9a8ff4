import { dateText } from "../../platform/date-text.ts";

/** A wall time to the minute, for people. */
export function whenText(ms: number): string {
  return dateText(ms)
    .replace("T", " ")
    .replace(/:\d\dZ$/u, " UTC");
}

/** What a project is called: the last part of its identity. */
export function projectName(project: string): string {
  return project.split(/[/:]/u).findLast((part) => part !== "") ?? project;
}

const numbers = new Intl.NumberFormat("en");

/** A number of things. */
export function counted(count: number, noun: string): string {
  return `${numbers.format(count)} ${noun}${count === 1 ? "" : "s"}`;
}

/** What is known, in one line. */
export function joined(...parts: readonly (string | null)[]): string {
  return parts.filter((part) => part !== null && part !== "").join(" · ");
}
