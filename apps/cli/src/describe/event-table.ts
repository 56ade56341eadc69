import type { CoreEvent } from '@lateen/api-types';
import { plainLine } from '@lateen/errors';
import { age } from '@lateen/kernel';
import { timeMs } from '@lateen/operations/volume';
import { plainTable } from '../output/plain-table.ts';

/** Events, ordered by when each was last seen; lines. */
export function eventTable(events: readonly CoreEvent[], nowMs: number): string[] {
  const rows = events
    .map((event) => ({ event, ms: timeMs(event.lastTimestamp ?? event.eventTime ?? event.firstTimestamp) ?? nowMs }))
    .sort((a, b) => a.ms - b.ms)
    .map(({ event, ms }) => [
      `${age(nowMs - ms)} ago`,
      event.type ?? '',
      event.reason ?? '',
      String(event.count ?? 1),
      plainLine(event.message ?? ''),
    ]);
  return plainTable(['SEEN', 'TYPE', 'REASON', 'COUNT', 'MESSAGE'], rows);
}
