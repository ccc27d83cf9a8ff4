import type { Child, FC, PropsWithChildren } from "hono/jsx";
import type { OwnVisit } from "../visit.ts";
import { assetPath } from "../assets/assets.ts";
import { Form, Said } from "./bits.tsx";

/** The places of the console, and the key that goes there after `g`. */
export const sections = [
  { id: "overview", path: "/console", name: "Overview", key: "o" },
  { id: "memory", path: "/console/memory", name: "Memory", key: "m" },
  { id: "conflicts", path: "/console/conflicts", name: "Conflicts", key: "c" },
  { id: "namespaces", path: "/console/namespaces", name: "Namespaces", key: "n" },
  { id: "devices", path: "/console/devices", name: "Devices", key: "d" },
  { id: "pairing", path: "/console/pairing", name: "Let a device in", key: "p" },
  { id: "activity", path: "/console/activity", name: "Activity", key: "a" },
  { id: "audit", path: "/console/audit", name: "Audit", key: "u" },
  { id: "server", path: "/console/server", name: "Server", key: "s" },
] as const;

/** What a browser has chosen to look at pages by; undefined: as its system does. */
export type Theme = "dark" | "light" | undefined;

const Head: FC<{ title: string }> = ({ title }) => (
  <head>
    <meta charset="utf-8" />
    <title>{`${title} · Tidemark`}</title>
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <meta name="color-scheme" content="light dark" />
    <meta name="robots" content="noindex" />
    <link rel="icon" href={assetPath("mark.svg")} type="image/svg+xml" />
    <link rel="stylesheet" href={assetPath("console.css")} />
    <script src={assetPath("console.js")} defer></script>
  </head>
);

const Mark: FC = () => (
  <svg class="mark" viewBox="0 0 32 32" aria-hidden="true">
    <path d="M3 20c4.3 0 4.3-4 8.7-4s4.3 4 8.6 4 4.4-4 8.7-4" />
    <path class="low" d="M3 26c4.3 0 4.3-4 8.7-4s4.3 4 8.6 4 4.4-4 8.7-4" />
    <path class="line" d="M3 9h26" />
  </svg>
);

const ThemeSwitch: FC = () => (
  <button type="button" class="quiet" data-theme-switch hidden>
    Switch to dark
  </button>
);

/** A page of somebody who is signed in. */
export const Page: FC<
  PropsWithChildren<{
    visit: OwnVisit;
    title: string;
    lede?: string | undefined;
    theme: Theme;
    said?: string | undefined;
  }>
> = ({ visit, title, lede, theme, said, children }) => {
  const here = visit.c.req.path;
  const section = sections.findLast(({ path }) => here === path || here.startsWith(`${path}/`));
  const { user, device } = visit.session;
  return (
    <html lang="en" data-theme={theme}>
      <Head title={title} />
      <body>
        <a class="skip" href="#content">
          Skip to content
        </a>
        <div class="frame">
          <aside class="side">
            <a class="brand" href="/console">
              <Mark />
              <span>Tidemark</span>
            </a>
            <nav aria-label="Console">
              {sections.map(({ id, path, name, key }) => (
                <a
                  href={path}
                  data-key={key}
                  class={section?.id === id ? "here" : ""}
                  aria-current={section?.id === id ? "page" : undefined}
                >
                  {name}
                </a>
              ))}
            </nav>
            <div class="who">
              <p>
                <Said text={user.name} />
                <span class="faint">
                  by <Said text={device.name} />
                </span>
              </p>
              <div class="who-acts">
                <ThemeSwitch />
                <button type="button" class="quiet" data-help hidden>
                  Keys
                </button>
                <Form visit={visit} action="/console/leave">
                  <button type="submit" class="quiet">
                    Sign out
                  </button>
                </Form>
              </div>
            </div>
          </aside>
          <main id="content" tabindex={-1}>
            {said === undefined ? null : (
              <p class="said" role="status">
                {said}
              </p>
            )}
            <header class="page-head">
              <h1>
                <bdi>{title}</bdi>
              </h1>
              {lede === undefined ? null : <p class="lede">{lede}</p>}
            </header>
            {children}
          </main>
        </div>
        <Keys />
      </body>
    </html>
  );
};

const Keys: FC = () => (
  <dialog class="keys" aria-labelledby="keys-title">
    <h2 id="keys-title">Keys</h2>
    <dl>
      <div>
        <dt>
          <kbd>/</kbd>
        </dt>
        <dd>search memory</dd>
      </div>
      <div>
        <dt>
          <kbd>j</kbd> <kbd>k</kbd>
        </dt>
        <dd>next and previous entry</dd>
      </div>
      {sections.map(({ name, key }) => (
        <div>
          <dt>
            <kbd>g</kbd> <kbd>{key}</kbd>
          </dt>
          <dd>{name}</dd>
        </div>
      ))}
      <div>
        <dt>
          <kbd>?</kbd>
        </dt>
        <dd>these keys</dd>
      </div>
    </dl>
    <form method="dialog">
      <button type="submit">Close</button>
    </form>
  </dialog>
);

/** A page of nobody: signing in, and refusals. */
export const Door: FC<PropsWithChildren<{ title: string; theme: Theme; children?: Child }>> = ({
  title,
  theme,
  children,
}) => (
  <html lang="en" data-theme={theme}>
    <Head title={title} />
    <body class="door">
      <main id="content">
        <p class="brand">
          <Mark />
          <span>Tidemark</span>
        </p>
        <h1>{title}</h1>
        {children}
      </main>
    </body>
  </html>
);
