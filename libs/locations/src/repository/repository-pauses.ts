/** Every repository is looked at this often without any change (data-movement.md section 10), a fifth more or less. */
export const recheckMs = 300_000;

/** A repository that is not ready is tried again after so long at first, then more and more rarely, up to `recheckMs`. */
const notReadyAgainMs = 30_000;

/** From a try that failed to the next, of so many that failed so far. Pure. */
export const retryPauseMs = (times: number): number => Math.min(notReadyAgainMs * 2 ** (times - 1), recheckMs);

/**
 * To the next look at a repository. All at once would be a storm: after a start the first looks come at any time of a round. Pure.
 * @param chance from 0 to 1
 */
export const nextLookMs = (isFirst: boolean, chance: number): number =>
  recheckMs * (isFirst ? chance : 0.8 + 0.4 * chance);
