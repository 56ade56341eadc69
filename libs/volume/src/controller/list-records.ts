import { volumeLimits } from '../limits.ts';
import { volumeError } from '../volume-error.ts';
import { readId } from '../volume-id.ts';

export interface Page<T> {
  entries: T[];
  /** The last ID of this page, when there is more. */
  nextToken?: string;
}

/**
 * One page of records sorted by ID. The token is the last ID seen, so it stays good when records come and go.
 * @throws AppError `ABORTED` for a token that we cannot have issued (CSI: "caller SHOULD start from the beginning").
 */
export function pageOf<T extends { id: string }>(
  records: readonly T[],
  request: { entriesMax: number; token: string },
): Page<T> {
  if (request.entriesMax < 0) throw volumeError('INVALID_ARGUMENT', 'max_entries is negative');
  const { token } = request;
  if (token !== '' && readId(token, 'starting_token').kind === 'unknown') {
    throw volumeError('ABORTED', 'starting_token was not issued by this driver');
  }
  const rest = records.filter(({ id }) => token === '' || id > token);
  const entries = rest.slice(0, request.entriesMax || volumeLimits.pageEntriesDefault);
  const last = entries.at(-1);
  return last === undefined || entries.length === rest.length ? { entries } : { entries, nextToken: last.id };
}
