import { aBackupStorageLocation } from '@lateen/testing';
import type { Fault } from '../fault.ts';

const unavailable = (name: string, direction: Fault['direction'], why: string): Fault => ({
  name,
  direction,
  world: {
    without: ['BackupStorageLocation/default'],
    extra: [
      aBackupStorageLocation({
        phase: 'Unavailable',
        status: { message: `BackupStorageLocation "default" is unavailable: ${why}` },
      }),
    ],
  },
  ends: 'failed',
  message: `error exposing ${direction === 'upload' ? 'snapshot' : 'target volume'}: BackupStorageLocation "default" is unavailable: ${why}. Correct the location and start again.`,
});

/** Faults of the place where the data goes to or comes from; found before any volume is created. */
export const locationFaults: readonly Fault[] = [
  {
    name: 'the location does not exist',
    direction: 'upload',
    world: { without: ['BackupStorageLocation/default'] },
    ends: 'failed',
    message:
      'error exposing snapshot: BackupStorageLocation velero/default does not exist. Create the location, or name another one in spec.backupStorageLocation.',
  },
  unavailable('the bucket of the location does not exist', 'upload', 'bucket "backups" does not exist'),
  unavailable('the location does not answer', 'download', 'connect ECONNREFUSED 10.0.0.1:9000'),
  {
    name: 'the time limit cannot be read',
    direction: 'upload',
    spec: { operationTimeout: 'soon' },
    ends: 'failed',
    message:
      'error exposing snapshot: spec.operationTimeout "soon" is not a positive duration. Write it as 10m or 90s.',
  },
  {
    name: 'the snapshot is of a kind that nobody can move',
    direction: 'upload',
    spec: { csiSnapshot: null },
    ends: 'failed',
    message:
      'error exposing snapshot: snapshot type "CSI" cannot be uploaded. Use snapshotType CSI with spec.csiSnapshot.',
  },
];
