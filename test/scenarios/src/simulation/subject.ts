import { simulateUploads } from '../changed-blocks/simulate-uploads.ts';
import { simulateVolume } from '../replica-set/simulate-volume.ts';
import { volumeFailureText } from '../replica-set/volume-failure-text.ts';
import { planOf } from './plan.ts';
import { failureText } from './run-seeds.ts';
import { simulate } from './simulation.ts';

/** The result of one seed. */
export interface Verdict {
  /** What is needed to find the cause of the failure; undefined when all rules hold. */
  failure: string | undefined;
  /** Statistics: how the simulated operations ended. */
  ends: readonly string[];
  lastedMs: number;
  /** The trace, starting with the plan. */
  trace: readonly string[];
  hash: string;
}

/** What is simulated. */
export type Subject = (seed: number, options: { isTraced: boolean }) => Promise<Verdict>;

export const subjects = {
  /** The loops of all node-agents. */
  movements: async (seed, { isTraced }) => {
    const plan = planOf(seed);
    const result = await simulate(plan);
    const { violations, ends, lastedMs, hash } = result;
    const trace = [JSON.stringify(plan, undefined, 2), ...result.trace];
    const failure = violations.length > 0 ? failureText(isTraced ? { ...result, trace: [] } : result) : undefined;
    return { failure, ends, lastedMs, hash, trace };
  },
  /** The engine of a replicated volume. */
  storage: async (seed, { isTraced }) => {
    const result = await simulateVolume(seed);
    const { violations, end, lastedMs, hash, trace } = result;
    const failure = violations.length > 0 ? volumeFailureText(isTraced ? { ...result, trace: [] } : result) : undefined;
    return { failure, ends: [end], lastedMs, hash, trace };
  },
  /** Uploads of block volumes that read changed blocks. */
  'changed-blocks': async (seed, { isTraced }) => {
    const result = await simulateUploads(seed);
    const { violations, ends, lastedMs, hash, trace } = result;
    const told = isTraced ? { ...result, trace: [] } : result;
    const failure = violations.length > 0 ? volumeFailureText(told, '--changed-blocks') : undefined;
    return { failure, ends, lastedMs, hash, trace };
  },
} as const satisfies Record<string, Subject>;

export type SubjectName = keyof typeof subjects;
export const isSubjectName = (name: string | undefined): name is SubjectName => name !== undefined && name in subjects;
