const retried = /\breturned error, retrying after /;
const ignored = /\bignored error (when processing|.* on )/i;

/** True for restic's message about a request that it repeats. If the request finally fails, that is reported elsewhere. */
export const isRetried = (line: string): boolean => retried.test(line);

/**
 * True for an engine's message about a failure after which it continued: a repeated request, or an entry that it skipped (kopia).
 */
export const isSurvived = (line: string): boolean => isRetried(line) || ignored.test(line);
