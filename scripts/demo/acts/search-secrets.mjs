import { bytesOf, filesBelow, foundIn, needlesOf } from "../byte-search.mjs";
import { claim } from "../claim.mjs";
import { bytesText, clipped } from "../screen.mjs";
import { partsOf, secretNames } from "../secrets.mjs";

/** Looks for the planted secrets in every byte that was written or sent. */
export const searchSecrets = {
  short: "Secrets",
  title: "The planted secrets are nowhere",
  async run(world, { screen }) {
    const { laptopA, laptopB, mate, server, wire, secrets, canary } = world;
    const needles = Object.entries(secrets).flatMap(([name, secret]) =>
      partsOf(secret).flatMap((line) => needlesOf(line).map((text) => ({ name, text }))),
    );
    const homes = [laptopA, laptopB, mate].map(({ home }) => home);
    const disk = await searched(placesOnDisk([...homes, server.dataDir]), needles, canary, screen);
    const sent = await searched(wire.recording(), needles, canary, screen);
    for (const { leaks } of [disk, sent]) {
      claim(leaks.length === 0, "no planted secret is written or sent", leaks);
    }
    // A search that finds nothing proves something only where it would have found it.
    const whereCanary = disk.witnesses.join("\n");
    for (const place of [laptopA.home, laptopB.home, server.dataDir]) {
      claim(whereCanary.includes(place), `the search reads the files of ${place}`);
    }
    claim(sent.witnesses.length > 0, "the search reads what was sent");

    const { items } = await laptopB.ask("search", canary);
    const example = JSON.stringify(items).match(/[^\s"\\]*__SECRET_\w+__[^\s"\\,]*/)?.[0];
    claim(example !== undefined, "a placeholder stands where a secret stood", items);
    return {
      facts: [
        [...new Set(Object.values(secretNames))].join(", "),
        `searched: ${disk.count} files, ${bytesText(disk.bytes)}, write-ahead logs too; ` +
          `${bytesText(sent.bytes)} on the wire`,
        `found: ${screen.colours.good("0")}   stored instead: ${clipped(example, 42)}`,
      ],
      summary: `0 found in ${disk.count} files and on the wire`,
    };
  },
};

function placesOnDisk(folders) {
  return filesBelow(folders).map((name) => ({
    name,
    get bytes() {
      return bytesOf(name);
    },
  }));
}

async function searched(places, needles, canary, screen) {
  const result = { count: places.length, bytes: 0, leaks: [], witnesses: [] };
  const texts = needles.map(({ text }) => text);
  for (const [index, place] of places.entries()) {
    const { name, bytes } = place;
    result.bytes += bytes.length;
    const found = foundIn(bytes, [...texts, canary]);
    if (found.includes(canary)) result.witnesses.push(name);
    for (const text of found.filter((text) => text !== canary)) {
      // The place and the kind, never the secret.
      result.leaks.push({
        place: name,
        secret: needles.find((needle) => needle.text === text)?.name,
      });
    }
    if (index % 50 === 0) {
      screen.progress(`${Math.round((100 * index) / places.length)} %`);
      await new Promise((resolve) => setImmediate(resolve));
    }
  }
  return result;
}
