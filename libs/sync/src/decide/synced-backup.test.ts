import { annotations } from '@lateen/api-types';
import { expect, it } from 'vitest';
import { syncedBackup } from './synced-backup.ts';

it('removes fields of a stored backup that are specific to another cluster', () => {
  const metadata = {
    name: 'b',
    annotations: { [annotations.workedOnBy]: 'them/1', [annotations.openHooks]: '[]', theirs: 'kept' },
  };
  const synced = syncedBackup({
    stored: { apiVersion: 'velero.io/v1', kind: 'Backup', metadata, spec: {}, status: { phase: 'Completed' } },
    namespace: 'velero',
    location: 'default',
    isSchedule: () => false,
    hasPodVolumes: false,
    nowMs: 0,
  });
  expect(synced.metadata.annotations).toEqual({ theirs: 'kept' });
});
