import type { Child, FC, PropsWithChildren } from "hono/jsx";
import { agoText, timeText } from "../words.ts";
import type { OwnVisit } from "../visit.ts";

/** Words that somebody else wrote: their direction is kept to themselves. */
export const Said: FC<{ text: string }> = ({ text }) => <bdi>{text}</bdi>;

/** A moment, told as people say it, with the exact time behind it. */
export const When: FC<{ at: number | null | undefined; now: number }> = ({ at, now }) =>
  at === null || at === undefined ? (
    <span class="faint">never</span>
  ) : (
    <time title={timeText(at)}>{agoText(at, now)}</time>
  );

/** A word on a coloured ground; colour never tells anything alone. */
export const Badge: FC<{ text: string; tone?: "plain" | "good" | "warn" | "accent" }> = ({
  text,
  tone = "plain",
}) => <span class={`badge ${tone}`}>{text}</span>;

/** A list of facts: what, and how it is. */
export const Facts: FC<{ rows: readonly (readonly [string, Child])[] }> = ({ rows }) => (
  <dl class="facts">
    {rows.map(([name, value]) => (
      <div>
        <dt>{name}</dt>
        <dd>{value}</dd>
      </div>
    ))}
  </dl>
);

/** One column of {@link Rows}. */
export interface Column<Row> {
  readonly name: string;
  readonly of: (row: Row) => Child;
  readonly isNumber?: boolean;
}

/** A table that becomes a list of cards where there is no room for one. */
export function Rows<Row>(props: {
  readonly label: string;
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[];
}): Child {
  const { label, columns, rows } = props;
  return (
    <table class="rows" aria-label={label}>
      <thead>
        <tr>
          {columns.map(({ name, isNumber }) => (
            <th scope="col" class={isNumber === true ? "number" : ""}>
              {name}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <tr>
            {columns.map(({ name, of, isNumber }) => (
              <td data-name={name} class={isNumber === true ? "number" : ""}>
                {of(row)}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** What stands where there is nothing yet, and how that changes. */
export const Empty: FC<PropsWithChildren<{ title: string }>> = ({ title, children }) => (
  <div class="empty">
    <p class="empty-title">{title}</p>
    <div class="empty-more">{children}</div>
  </div>
);

/** A command to run elsewhere, with a button that copies it. */
export const Run: FC<{ command: string }> = ({ command }) => (
  <span class="run">
    <code>{command}</code>
    <button type="button" class="quiet" data-copy={command}>
      Copy
    </button>
  </span>
);

/** A form that carries what proves that one of our pages made it (CO3). */
export const Form: FC<PropsWithChildren<{ visit: OwnVisit; action: string; class?: string }>> = ({
  visit,
  action,
  children,
  class: name = "",
}) => (
  <form method="post" action={action} class={name}>
    <input type="hidden" name="csrf" value={visit.csrf} />
    {children}
  </form>
);

/** The way in by the provider, for whom it is connected to. */
export const SignInBy: FC<{ label: string }> = ({ label }) => (
  <form method="post" action="/console/oidc">
    <button type="submit">
      Sign in by <bdi>{label}</bdi>
    </button>
  </form>
);

/** A dangerous act behind one more step, which says what will happen. */
export const Act: FC<
  PropsWithChildren<{ visit: OwnVisit; action: string; name: string; verb: string }>
> = ({ visit, action, name, verb, children }) => (
  <details class="act">
    <summary>{name}</summary>
    <div class="act-box">
      {children}
      <Form visit={visit} action={action}>
        <button type="submit" class="danger">
          {verb}
        </button>
      </Form>
    </div>
  </details>
);

/** A part of a page with its own heading. */
export const Part: FC<PropsWithChildren<{ title: string; note?: string }>> = ({
  title,
  note,
  children,
}) => (
  <section class="part">
    <header>
      <h2>{title}</h2>
      {note === undefined ? null : <p class="faint">{note}</p>}
    </header>
    {children}
  </section>
);
