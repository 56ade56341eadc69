import {
  type DataDownload,
  type DataUpload,
  dataDownloadType,
  dataUploadType,
  type PodVolumeBackup,
  type PodVolumeRestore,
  podVolumeBackupType,
  podVolumeRestoreType,
  volumeSnapshotType,
} from '@lateen/api-types';
import type { Movement } from '@lateen/data-movement';
import { aDataDownload, aDataUpload, aPodVolumeBackup, aPodVolumeRestore } from '@lateen/testing';
import { describe, expect, it } from 'vitest';
import { downloadWorld, podBackupWorld, podRestoreWorld, uploadWorld } from '../world/movement-worlds.ts';
import {
  theDownload,
  thePodVolumeBackup,
  thePodVolumeRestore,
  untilConcluded,
  withAgents,
} from '../world/run-world.ts';

/*
 * The schema allows a spec that names nothing: strings may be empty, and a whole spec may be missing. Such a movement fails with a message
 * and can then be deleted like any other. It once kept its finalizer for ever.
 */
type Spec = Partial<DataUpload['spec']>;
const csiSnapshot = { volumeSnapshot: 'snapshot', storageClass: 'lateen' };
const without = <T extends Movement>(object: T, ...fields: string[]): T => {
  const spec = Object.fromEntries(Object.entries(object.spec).filter(([field]) => !fields.includes(field)));
  return { ...object, spec } as T;
};

const uploads: [string, DataUpload, string][] = [
  [
    'an empty volumeSnapshot',
    aDataUpload({ spec: { csiSnapshot: { ...csiSnapshot, volumeSnapshot: '' } } }),
    'spec.csiSnapshot.volumeSnapshot',
  ],
  [
    'a volumeSnapshot that is a path',
    aDataUpload({ spec: { csiSnapshot: { ...csiSnapshot, volumeSnapshot: '../x' } } }),
    'spec.csiSnapshot.volumeSnapshot',
  ],
  [
    'an empty storageClass',
    aDataUpload({ spec: { csiSnapshot: { ...csiSnapshot, storageClass: '' } } }),
    'spec.csiSnapshot.storageClass',
  ],
  [
    'an empty csiSnapshot',
    aDataUpload({ spec: { csiSnapshot: {} } as unknown as Spec }),
    'spec.csiSnapshot.volumeSnapshot',
  ],
  ['no csiSnapshot', aDataUpload({ spec: { csiSnapshot: null } }), 'csiSnapshot'],
  ['an empty sourceNamespace', aDataUpload({ spec: { sourceNamespace: '' } }), 'spec.sourceNamespace'],
  ['no sourceNamespace', without(aDataUpload(), 'sourceNamespace'), 'spec.sourceNamespace'],
  ['an empty sourcePVC', aDataUpload({ spec: { sourcePVC: '' } }), 'spec.sourcePVC'],
  ['an empty location', aDataUpload({ spec: { backupStorageLocation: '' } }), 'spec.backupStorageLocation'],
  ['an empty spec', { ...aDataUpload(), spec: {} as DataUpload['spec'] }, 'csiSnapshot'],
  ['no spec', { ...aDataUpload(), spec: undefined as unknown as DataUpload['spec'] }, 'csiSnapshot'],
];

const target = { namespace: 'app', pvc: 'data', pv: '' };
const downloads: [string, DataDownload, string][] = [
  ['an empty target', aDataDownload({ spec: { targetVolume: { ...target, pvc: '' } } }), 'spec.targetVolume.pvc'],
  [
    'an empty target namespace',
    aDataDownload({ spec: { targetVolume: { ...target, namespace: '' } } }),
    'spec.targetVolume.namespace',
  ],
  ['no target', without(aDataDownload(), 'targetVolume'), 'spec.targetVolume.namespace'],
  ['an empty location', aDataDownload({ spec: { backupStorageLocation: '' } }), 'spec.backupStorageLocation'],
  ['an empty spec', { ...aDataDownload(), spec: {} as DataDownload['spec'] }, 'spec.targetVolume.namespace'],
  [
    'no spec',
    { ...aDataDownload(), spec: undefined as unknown as DataDownload['spec'] },
    'spec.targetVolume.namespace',
  ],
];

describe('an upload with an invalid spec fails, names the field, and can be deleted', () => {
  it.each(uploads)('%s', async (_, upload, text) => {
    const world = withAgents(uploadWorld({}, upload));
    await untilConcluded(world);
    expect(world.upload()?.status).toMatchObject({ phase: 'Failed', message: expect.stringContaining(text) });
    await world.cluster.delete(dataUploadType, { namespace: 'velero', name: 'upload' });
    expect(world.upload()).toBeUndefined();
  });
  it('an empty sourceNamespace does not use a snapshot of that name in another namespace', async () => {
    const world = withAgents(uploadWorld({}, aDataUpload({ spec: { sourceNamespace: '' } })));
    await untilConcluded(world);
    expect(world.cluster.find(volumeSnapshotType, { namespace: 'app', name: 'snapshot' })).toBeDefined();
    expect(world.storage.snapshots.has('snapshot-handle')).toBe(true);
  });
});

describe('a download with an invalid spec fails, names the field, and can be deleted', () => {
  it.each(downloads)('%s', async (_, download, text) => {
    const world = withAgents(downloadWorld({}, download));
    await untilConcluded(world, theDownload);
    expect(world.download()?.status).toMatchObject({ phase: 'Failed', message: expect.stringContaining(text) });
    await world.cluster.delete(dataDownloadType, { namespace: 'velero', name: 'download' });
    expect(world.download()).toBeUndefined();
  });
});

const pod = { kind: 'Pod', namespace: 'app', name: 'db', uid: 'pod-app-db' };
const podBackups: [string, PodVolumeBackup, string][] = [
  ['an empty node', aPodVolumeBackup({ spec: { node: '' } }), 'spec.node is empty'],
  ['an empty pod', aPodVolumeBackup({ spec: { pod: {} } }), 'spec.pod.namespace'],
  ['no pod', without(aPodVolumeBackup(), 'pod'), 'spec.pod.namespace'],
  ['a pod that is a path', aPodVolumeBackup({ spec: { pod: { ...pod, name: '../x' } } }), 'spec.pod.name'],
  ['a pod without a uid', aPodVolumeBackup({ spec: { pod: { ...pod, uid: '' } } }), 'is another one now'],
  ['an empty volume', aPodVolumeBackup({ spec: { volume: '' } }), 'spec.volume'],
  ['an empty location', aPodVolumeBackup({ spec: { backupStorageLocation: '' } }), 'spec.backupStorageLocation'],
  [
    'an engine that is none',
    aPodVolumeBackup({ spec: { uploaderType: 'rsync' as 'kopia' } }),
    'spec.uploaderType "rsync"',
  ],
  ['an empty spec', { ...aPodVolumeBackup(), spec: {} as PodVolumeBackup['spec'] }, 'spec.node is empty'],
  ['no spec', { ...aPodVolumeBackup(), spec: undefined as unknown as PodVolumeBackup['spec'] }, 'spec.node is empty'],
];

describe('a pod volume backup with an invalid spec fails, names the field, and can be deleted', () => {
  it.each(podBackups)('%s', async (_, backup, text) => {
    const world = withAgents(podBackupWorld({}, backup), 'node-1', 'node-2');
    await untilConcluded(world, thePodVolumeBackup);
    expect(world.podVolumeBackup()?.status).toMatchObject({ phase: 'Failed', message: expect.stringContaining(text) });
    await world.cluster.delete(podVolumeBackupType, { namespace: 'velero', name: 'backup' });
    expect(world.podVolumeBackup()).toBeUndefined();
  });
});

const podRestores: [string, PodVolumeRestore, string][] = [
  ['an empty volume', aPodVolumeRestore({ spec: { volume: '' } }), 'spec.volume'],
  ['an empty location', aPodVolumeRestore({ spec: { backupStorageLocation: '' } }), 'spec.backupStorageLocation'],
  [
    'an engine that is none',
    aPodVolumeRestore({ spec: { uploaderType: 'rsync' as 'kopia' } }),
    'spec.uploaderType "rsync"',
  ],
  ['a pod without a uid', aPodVolumeRestore({ spec: { pod: { ...pod, uid: '' } } }), 'is another one now'],
  ['an empty pod', aPodVolumeRestore({ spec: { pod: {} } }), 'spec.pod'],
  ['no pod', without(aPodVolumeRestore(), 'pod'), 'spec.pod'],
  ['no spec', { ...aPodVolumeRestore(), spec: undefined as unknown as PodVolumeRestore['spec'] }, 'spec.pod'],
];

describe('a pod volume restore with an invalid spec fails, names the field, and can be deleted', () => {
  it.each(podRestores)('%s', async (_, restore, text) => {
    const world = withAgents(podRestoreWorld({}, restore), 'node-1', 'node-2');
    await untilConcluded(world, thePodVolumeRestore, 120_000);
    expect(world.podVolumeRestore()?.status).toMatchObject({ phase: 'Failed', message: expect.stringContaining(text) });
    await world.cluster.delete(podVolumeRestoreType, { namespace: 'velero', name: 'restore' });
    expect(world.podVolumeRestore()).toBeUndefined();
  });
});

describe('a spec that becomes invalid while the movement runs', () => {
  it.each(uploads)('%s: it ends, and can be deleted', async (_, { spec }) => {
    const world = uploadWorld();
    world.mover.script = 'hang';
    withAgents(world);
    await world.rest();
    expect(world.upload()?.status?.phase).toBe('InProgress');
    world.cluster.change<DataUpload>(dataUploadType, { namespace: 'velero', name: 'upload' }, (object) => {
      object.spec = spec;
    });
    await world.rest();
    await world.cluster.delete(dataUploadType, { namespace: 'velero', name: 'upload' });
    await world.until(() => world.upload() === undefined, 60_000);
  });
});
