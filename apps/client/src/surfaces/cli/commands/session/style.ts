/** The look of an exported session: the dashboard's, without what only it has. */
export const styleText = `
:root {
  color-scheme: light dark;
  --paper: oklch(0.99 0.002 250); --ink: oklch(0.24 0.01 250); --quiet: oklch(0.48 0.012 250);
  --line: oklch(0.9 0.005 250); --raised: oklch(0.965 0.004 250);
}
@media (prefers-color-scheme: dark) {
  :root {
    --paper: oklch(0.19 0.008 250); --ink: oklch(0.93 0.005 250); --quiet: oklch(0.7 0.01 250);
    --line: oklch(0.31 0.01 250); --raised: oklch(0.235 0.009 250);
  }
}
body { margin: 0; background: var(--paper); color: var(--ink); font: 16px/24px system-ui, sans-serif; overflow-wrap: anywhere; }
main { max-width: 800px; margin: 0 auto; padding: 24px 16px 64px; }
h1 { font-size: 28px; line-height: 36px; margin: 8px 0 24px; }
h2 { font-size: 18px; margin: 40px 0 8px; border-bottom: 1px solid var(--line); }
h3 { font-size: 16px; margin: 24px 0 0; }
h4 { font-size: 14px; margin: 12px 0 0; color: var(--quiet); }
p { margin: 0; }
ul, ol { margin: 4px 0; padding-left: 24px; }
ol > li { padding: 8px 0; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: 0 16px; margin: 0; font-size: 14px; }
dt, .meta, summary { color: var(--quiet); font-size: 14px; }
dd { margin: 0; }
.prose { white-space: pre-wrap; margin: 8px 0; }
pre { font: 13px/20px ui-monospace, monospace; white-space: pre-wrap; background: var(--raised); padding: 12px; border-radius: 8px; margin: 8px 0; }
@media print { details { display: none; } }
`;
