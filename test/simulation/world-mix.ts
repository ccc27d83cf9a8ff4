/**
 * Which worlds are drawn, and how often. What finds planted bugs for the least CPU stands more often
 * (`npm run mutants -- --count 200` measures it): many faults and six or nine actions on two devices;
 * a short world without faults finds a third as much in the same time. Whatever is rare still comes
 * eighty times in two thousand seeds.
 *
 * Kept tapes name places in these lists: they grow at their ends only.
 */

type Shape = readonly number[];

const usual: readonly Shape[] = [[2], [1, 1]];
const special: readonly Shape[] = [[3], [2, 1], [1, 1, 1], [2, 2]];

/** Devices of each person. */
export const shapes: readonly Shape[] = [
  [2],
  [2],
  [1, 1],
  [1, 1],
  ...special,
  ...Array.from({ length: 6 }, () => usual).flat(),
];

/** Namespaces that people share, beside one of each. */
export const teamCounts: readonly number[] = [1, 1, 2, 1, 1, 1];
/** The same for somebody who is alone. */
export const teamCountsAlone: readonly number[] = [0, 0, 1];

/** What people and agents do in one storm. */
export const actionCounts: readonly number[] = [4, 6, 9, 18, 4, 6, 9, 6, 9, 6, 9, 6];

/** Virtual milliseconds between two actions, on the average. */
export const pacesMs: readonly number[] = [
  300, 2_000, 10_000, 40_000, 2_000, 300, 10_000, 2_000, 300, 2_000,
];

/** How likely each kind of fault is in a world at all, per thousand. */
export const faultShares: readonly number[] = [0, 250, 450, 800, 250, 450, 800];

/** Of how many worlds one has a team that is encrypted. */
export const sealedEvery = 12;
/** Of so many of these the key of one turns over often. */
export const turningEvery = 2;
/** Of how many of the encrypted ones the log goes two ways, once. */
export const partingEvery = 3;
/** Of so many of these people are given the right to let others in, and lose it. */
export const raisingEvery = 2;

/** Of so many of these damage of a database takes keys with it. */
export const losingEvery = 2;

/** Of how many worlds one has a database that can be set back under running replicas. */
export const failoverEvery = 3;

/** Of how many worlds one is about a record and its children. */
export const familyEvery = 6;

/** Of how many worlds one has a server that is short of room, now and then. */
export const fullEvery = 20;

/** Of how many worlds one has teams that are deleted and brought back. */
export const deletingEvery = 20;

/** Of how many worlds one goes to sleep for days or weeks, server and devices. */
export const sleepingEvery = 20;

/** Of how many worlds one has steps that change several records, and people who resolve conflicts. */
export const atOnceEvery = 6;

/** Of how many worlds one has a server that finds secrets which devices did not know. */
export const waryEvery = 12;

/** Of how many worlds one has devices that pair again; of how many of the encrypted ones. */
export const returningEvery = 12;
export const returningSealedEvery = 3;

/** Of how many worlds one has a longer storm, and by how much. */
export const longEvery = 40;
export const longTimes = 4;
