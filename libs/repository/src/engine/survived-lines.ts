const retried = /\breturned error, retrying after /;
const ignored = /\bignored error (when processing|.* on )/i;

/** True for what restic says of a request that it makes again. What comes of it is told elsewhere, if it comes to anything. */
export const isRetried = (line: string): boolean => retried.test(line);

/** True for what an engine says of a failure that it got over: a request made again, an entry that it goes on without (kopia). */
export const isSurvived = (line: string): boolean => isRetried(line) || ignored.test(line);
