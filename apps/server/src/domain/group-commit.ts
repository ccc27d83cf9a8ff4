/** Gathers jobs of one key into groups that are committed together. */
export interface GroupCommit<Job, Answer> {
  /** Waits for the job's group; undefined when too many wait already. */
  submit(key: string, job: Job): Promise<Answer | undefined>;
}

/** How large groups and queues get. */
export interface GroupLimits<Job> {
  /** How much of a group a job takes; the first job of a group always fits. */
  weigh(job: Job): { readonly ops: number; readonly bytes: number };
  readonly opsMax: number;
  readonly bytesMax: number;
  readonly waitingMax: number;
}

interface Waiting<Job, Answer> {
  readonly job: Job;
  readonly resolve: (answer: Answer) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * While one group of a key is being committed, later jobs gather into the next (PS10): one
 * transaction for many pushes is worth 8 to 18 times the throughput, and a lone push waits for
 * nothing.
 *
 * @param commit gives one answer for each job, in order; what it throws has committed nothing, and
 *   the jobs of the group are then tried one by one
 */
export function createGroupCommit<Job, Answer>(
  limits: GroupLimits<Job>,
  commit: (key: string, jobs: readonly Job[]) => Promise<readonly Answer[]>,
): GroupCommit<Job, Answer> {
  const waitingByKey = new Map<string, Waiting<Job, Answer>[]>();
  const drain = async (key: string, queue: Waiting<Job, Answer>[]): Promise<void> => {
    while (queue.length > 0) {
      await settle(takeGroup(queue, limits), (jobs) => commit(key, jobs));
    }
    waitingByKey.delete(key);
  };
  return {
    submit: (key, job) => {
      const queue = waitingByKey.get(key);
      if (queue !== undefined && queue.length >= limits.waitingMax) {
        return Promise.resolve(undefined);
      }
      return new Promise((resolve, reject) => {
        if (queue !== undefined) {
          queue.push({ job, resolve, reject });
          return;
        }
        const started = [{ job, resolve, reject }];
        waitingByKey.set(key, started);
        void drain(key, started);
      });
    },
  };
}

function takeGroup<Job, Answer>(
  queue: Waiting<Job, Answer>[],
  limits: GroupLimits<Job>,
): readonly Waiting<Job, Answer>[] {
  let ops = 0;
  let bytes = 0;
  let count = 0;
  for (const { job } of queue) {
    const weight = limits.weigh(job);
    ops += weight.ops;
    bytes += weight.bytes;
    if (count > 0 && (ops > limits.opsMax || bytes > limits.bytesMax)) break;
    count += 1;
  }
  return queue.splice(0, count);
}

async function settle<Job, Answer>(
  group: readonly Waiting<Job, Answer>[],
  commit: (jobs: readonly Job[]) => Promise<readonly Answer[]>,
): Promise<void> {
  try {
    const answers = await commit(group.map(({ job }) => job));
    for (const [index, waiting] of group.entries()) {
      const answer = answers[index];
      if (answer === undefined) waiting.reject(new Error("a job of the group got no answer"));
      else waiting.resolve(answer);
    }
  } catch (error) {
    const [only] = group;
    if (group.length === 1) only?.reject(error);
    // Nothing of it was committed. Whatever broke it must not fail those who happened to be near.
    else for (const waiting of group) await settle([waiting], commit);
  }
}
