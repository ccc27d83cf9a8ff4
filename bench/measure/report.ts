import { describeMachine, load, machineText, type Machine } from "./machine.ts";

/** One figure with the limit that it is judged by; both from the same run. */
export interface Verdict {
  readonly what: string;
  readonly figure: number;
  readonly target: number;
  readonly unit: string;
  readonly isMet: boolean;
}

/** A table as people read it. */
export interface Table {
  readonly title: string;
  readonly columns: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

/** Collects what a benchmark finds, and prints it: JSON with `--json`, else tables. */
export interface Report {
  note(line: string): void;
  table(table: Table): void;
  verdict(verdict: Verdict): void;
  print(figures: object): void;
}

/** Starts a report; the machine is described before anything runs. */
export function startReport(name: string, isJson: boolean): Report {
  const machine: Machine = describeMachine();
  const tables: Table[] = [];
  const verdicts: Verdict[] = [];
  const say = (text: string): void => {
    (isJson ? process.stderr : process.stdout).write(`${text}\n`);
  };
  say(`${name}: ${machineText(machine)}\n`);
  return {
    note: say,
    table: (table) => {
      tables.push(table);
      say(tableText(table));
    },
    verdict: (verdict) => {
      verdicts.push(verdict);
      say(verdictText(verdict));
    },
    print: (figures) => {
      const loadAfter = load();
      say(`\nload average after: ${loadAfter.join(" ")}`);
      const report = { name, machine: { ...machine, loadAfter }, figures, tables, verdicts };
      if (isJson) process.stdout.write(`${JSON.stringify(report, undefined, 2)}\n`);
    },
  };
}

function tableText({ title, columns, rows }: Table): string {
  const line = (cells: readonly string[]): string => `| ${cells.join(" | ")} |`;
  const rule = columns.map((_, index) => (index === 0 ? "---" : "--:"));
  return [`\n${title}`, "", line(columns), line(rule), ...rows.map(line), ""].join("\n");
}

function verdictText({ what, figure, target, unit, isMet }: Verdict): string {
  return `${isMet ? "met   " : "MISSED"} ${what}: ${figure.toFixed(2)} ${unit}, target ${target} ${unit}`;
}
