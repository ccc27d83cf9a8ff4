import { claim } from "../claim.mjs";
import { createDevice } from "../device.mjs";

/** The team's namespace. */
export const teamName = "harbour";

/** Two laptops of one person and a team-mate, each let in by a one-time link. */
export const pair = {
  short: "Pairing",
  title: "Three devices pair by one-time links",
  async run(world, { screen }) {
    const { stage, server } = world;
    const device = (name) => createDevice({ name, ...stage });
    const laptopA = device("laptop-a");
    const laptopB = device("laptop-b");
    const mate = device("team-mate");
    Object.assign(world, { laptopA, laptopB, mate });

    screen.progress("laptop-a, the owner's");
    const setupLink = await server.setupLink();
    const owner = await laptopA.ask("pair", setupLink, "--name", "laptop-a", "--user", "ada");
    screen.progress("laptop-b, by `tidemark device add`");
    const { link } = await laptopA.ask("device", "add");
    const second = await laptopB.ask("pair", link, "--name", "laptop-b");
    claim(second.user.id === owner.user.id, "both laptops are one person's", { owner, second });

    screen.progress(`team-mate, by \`tidemark namespace invite ${teamName}\``);
    await laptopA.ask("namespace", "create", teamName);
    const invite = await laptopA.ask("namespace", "invite", teamName, "--role", "writer");
    const other = await mate.ask("pair", invite.link, "--name", "desktop", "--user", "grace");
    claim(other.user.id !== owner.user.id, "the team-mate is another person", { owner, other });
    const team = other.namespaces.find((namespace) => namespace.name === teamName);
    claim(team?.role === "writer", "the team-mate is a writer in the team", other);

    const again = await mate.attempt("pair", link, "--name", "thief", "--json");
    claim(again.code !== 0, "a link that was used opens nothing", again);
    return {
      facts: [
        `laptop-a and laptop-b    ${owner.user.name}'s, one personal namespace`,
        `team-mate                ${other.user.name}'s, invited to ${teamName} as writer`,
        "each link works once     a second try is refused",
      ],
      summary: "2 laptops, 1 team-mate; links used once",
    };
  },
};
