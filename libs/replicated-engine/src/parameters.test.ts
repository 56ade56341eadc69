import { describe, expect, it } from 'vitest';
import { readParameters } from './parameters.ts';

/** Every parameter that a StorageClass of Longhorn can have for a volume (longhorn.md section 8), and its effect. */
const said: readonly [name: string, value: string, spec: object][] = [
  ['numberOfReplicas', '2', { numberOfReplicas: 2 }],
  ['staleReplicaTimeout', '30', { staleReplicaTimeout: 30 }],
  ['dataLocality', 'best-effort', { dataLocality: 'best-effort' }],
  ['dataEngine', 'v1', { dataEngine: 'v1' }],
  ['frontend', 'blockdev', { frontend: 'blockdev' }],
  ['diskSelector', 'ssd, fast,', { diskSelector: ['ssd', 'fast'] }],
  ['nodeSelector', 'storage', { nodeSelector: ['storage'] }],
  ['replicaAutoBalance', 'least-effort', { replicaAutoBalance: 'least-effort' }],
  ['replicaSoftAntiAffinity', 'enabled', { replicaSoftAntiAffinity: 'enabled' }],
  ['replicaZoneSoftAntiAffinity', 'disabled', { replicaZoneSoftAntiAffinity: 'disabled' }],
  ['replicaDiskSoftAntiAffinity', 'ignored', { replicaDiskSoftAntiAffinity: 'ignored' }],
  ['encrypted', 'true', { encrypted: true }],
  ['migratable', 'false', { migratable: false }],
  ['share', 'true', { accessMode: 'rwx' }],
  ['share', 'false', {}],
  ['exclusive', 'true', { accessMode: 'rwop' }],
  ['disableRevisionCounter', 'true', { revisionCounterDisabled: true }],
  ['unmapMarkSnapChainRemoved', 'enabled', { unmapMarkSnapChainRemoved: 'enabled' }],
  ['freezeFilesystemForSnapshot', 'enabled', { freezeFilesystemForSnapshot: 'enabled' }],
  ['backupTargetName', 'offsite', { backupTargetName: 'offsite' }],
  ['backupBlockSize', '16Mi', { backupBlockSize: '16777216' }],
  ['backupBlockSize', '2097152', { backupBlockSize: '2097152' }],
  ['cloneMode', 'full-copy', { cloneMode: 'full-copy' }],
  ['strictTopology', 'false', {}],
  ['ublkQueueDepth', '128', { ublkQueueDepth: 128 }],
  ['ublkNumberOfQueue', '2', { ublkNumberOfQueue: 2 }],
  ['backingImage', 'parrot', { backingImage: 'parrot' }],
  ['backingImageDataSourceType', 'download', {}],
  ['backingImageDataSourceParameters', '{}', {}],
  ['backingImageChecksum', 'x', {}],
  ['dataLayout.type', 'replicated', { dataLayout: { type: 'replicated' } }],
  ['dataLayout.mode', 'x', {}],
  ['dataLayout.dataChunks', '2', {}],
  ['dataLayout.parityChunks', '1', {}],
  ['dataLayout.stripSizeKB', '64', {}],
];

describe('a parameter of a StorageClass', () => {
  it.each(said)('%s: %s', (name, value, spec) =>
    expect(readParameters({ [name]: value })).toEqual({ spec, labels: {} }),
  );

  it.each([
    ['fromBackup', 's3://b@r/?backup=x&volume=v', { kind: 'backup', url: 's3://b@r/?backup=x&volume=v' }],
    ['dataSource', 'vol://source', { kind: 'volume', volume: 'source' }],
    ['dataSource', 'snap://source/s1', { kind: 'snapshot', volume: 'source', snapshot: 's1' }],
  ])('%s reports an invalid value: %s', (name, value, source) =>
    expect(readParameters({ [name]: value })).toEqual({ spec: {}, labels: {}, source }),
  );

  it('recurringJobSelector becomes labels of the volume', () => {
    const recurringJobSelector = '[{"name":"nightly","isGroup":false},{"name":"all","isGroup":true}]';
    expect(readParameters({ recurringJobSelector })).toEqual({
      spec: {},
      labels: {
        'recurring-job.longhorn.io/nightly': 'enabled',
        'recurring-job-group.longhorn.io/all': 'enabled',
      },
    });
  });

  it.each([
    ['numberOfReplicas', '-1', 'is not a whole number'],
    ['replicaAutoBalance', 'often', 'is not one of ignored, disabled, least-effort, best-effort'],
    ['replicaSoftAntiAffinity', 'true', 'is not one of '],
    ['strictTopology', 'maybe', 'is not true or false'],
    ['backupBlockSize', '4Mi', 'is not 2Mi or 16Mi'],
    ['cloneMode', 'copy', 'is not one of full-copy, linked-clone'],
    ['dataLayout.type', '', 'is not replicated or sharded'],
    ['recurringJobSelector', '[{"isGroup":true}]', 'is not a JSON list'],
    ['numberofreplicas', '3', 'there is no parameter "numberofreplicas" of volumes'],
    ['__proto__x', '3', 'there is no parameter'],
  ])('%s: %s is rejected', (name, value, message) => expect(() => readParameters({ [name]: value })).toThrow(message));
});
