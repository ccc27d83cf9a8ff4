import { bytesOf, filesBelow, foundIn } from "../byte-search.mjs";
import { claim } from "../claim.mjs";
import { clipped } from "../screen.mjs";
import { teamName } from "./pair.mjs";

const lessons = [
  {
    kind: "decision",
    title: "Migrations run before the new version starts",
    narrative: "The old version must work on the new tables: add first, remove one release later.",
  },
  {
    kind: "fix",
    title: "The flaky login test must wait for the cookie",
    narrative: "The page is drawn before the session cookie is set; wait for the cookie.",
  },
];

/** The team-mate gets what is the team's, and nothing else. */
export const team = {
  short: "Team",
  title: `The team-mate sees what is ${teamName}'s, and only that`,
  async run(world, { screen }) {
    const { laptopA, mate, canary, edited } = world;
    const ids = [];
    for (const { kind, title, narrative } of lessons) {
      const text = ["--title", title, "--kind", kind, "--narrative", narrative];
      ids.push((await laptopA.ask("save", ...text, "--namespace", teamName)).id);
    }
    screen.progress("both sync");
    await laptopA.sync();
    await mate.sync();
    const { items } = await mate.ask("list", "--all");
    const isTeams = items.length === ids.length && items.every(({ id }) => ids.includes(id));
    claim(isTeams, "the team-mate has the team's alone", items);
    claim(
      items.every(({ author }) => author.user === "ada"),
      "the team-mate sees whose they are",
      items.map(({ author }) => author),
    );
    const { total } = await mate.ask("search", canary);
    claim(total === 0, "a search of the team-mate finds nothing personal", total);
    const shown = await mate.attempt("show", edited.id, "--json");
    claim(shown.code === 1, "a personal observation does not exist for the team-mate", shown);
    const files = filesBelow([mate.home]);
    const holds = (word) => files.some((path) => foundIn(bytesOf(path), [word]).length > 0);
    claim(holds("flaky login"), "the team-mate's files hold the team's text");
    claim(!holds(canary), "the team-mate's files hold no personal text");
    const { accent, quiet } = screen.colours;
    return {
      facts: [
        ...items.map(
          ({ kind, title, author }) =>
            `${accent(kind.padEnd(9))} ${clipped(title, 54)}  ${quiet(`by ${author.user}`)}`,
        ),
        "of the personal ones: no title, no hit, no byte in any file",
      ],
      summary: `${items.length} shared, 0 personal`,
    };
  },
};
