import { type BackoffLimits, backoffMs, type Random } from '@lateen/kernel';
import type { FailureFate } from './failure-fate.ts';

/** How often every repository is checked without any change (data-movement.md section 10), a fifth more or less. */
export const recheckMs = 300_000;

/** From a try that failed to the next. What a person has to change is tried more rarely than what passes by itself. */
const backoffs: Readonly<Record<FailureFate, BackoffLimits>> = {
  wrong: { firstMs: 30_000, maxMs: recheckMs, factor: 2, jitter: 0.1 },
  passing: { firstMs: 5_000, maxMs: recheckMs, factor: 2, jitter: 0.1 },
  unclear: { firstMs: 5_000, maxMs: recheckMs, factor: 2, jitter: 0.1 },
};

/** The delay after a number of failed attempts in a row. */
export const retryPauseMs = (fate: FailureFate, times: number, random: Random): number =>
  backoffMs(times, backoffs[fate], random);

/**
 * To the next look at a repository. All at once would be a storm: after a start the first looks come at any time of a round. Pure.
 * @param chance from 0 to 1
 */
export const nextLookMs = (isFirst: boolean, chance: number): number =>
  recheckMs * (isFirst ? chance : 0.8 + 0.4 * chance);
