import {
  type DataDownload,
  type DataUpload,
  dataDownloadType,
  dataUploadType,
  volumeSnapshotType,
} from '@lateen/api-types';
import { aDataDownload, aDataUpload } from '@lateen/testing';
import { describe, expect, it } from 'vitest';
import { downloadWorld, uploadWorld } from '../world/movement-worlds.ts';
import { theDownload, untilConcluded, withAgents } from '../world/run-world.ts';

/*
 * The schema lets a spec name nothing: strings may be empty, and a whole spec may be missing. Such a movement fails with
 * a message, and then it can be deleted like any other; it once kept its finalizer for ever.
 */
type Spec = Partial<DataUpload['spec']>;
const csiSnapshot = { volumeSnapshot: 'snapshot', storageClass: 'lateen' };
const without = <T extends DataUpload | DataDownload>(object: T, ...fields: string[]): T => {
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

describe('an upload whose spec makes no sense fails, says which field it is, and can be deleted', () => {
  it.each(uploads)('%s', async (_, upload, text) => {
    const world = withAgents(uploadWorld({}, upload));
    await untilConcluded(world);
    expect(world.upload()?.status).toMatchObject({ phase: 'Failed', message: expect.stringContaining(text) });
    await world.cluster.delete(dataUploadType, { namespace: 'velero', name: 'upload' });
    expect(world.upload()).toBeUndefined();
  });
  it('an empty sourceNamespace does not reach for a snapshot of that name elsewhere', async () => {
    const world = withAgents(uploadWorld({}, aDataUpload({ spec: { sourceNamespace: '' } })));
    await untilConcluded(world);
    expect(world.cluster.find(volumeSnapshotType, { namespace: 'app', name: 'snapshot' })).toBeDefined();
    expect(world.storage.snapshots.has('snapshot-handle')).toBe(true);
  });
});

describe('a download whose spec makes no sense fails, says which field it is, and can be deleted', () => {
  it.each(downloads)('%s', async (_, download, text) => {
    const world = withAgents(downloadWorld({}, download));
    await untilConcluded(world, theDownload);
    expect(world.download()?.status).toMatchObject({ phase: 'Failed', message: expect.stringContaining(text) });
    await world.cluster.delete(dataDownloadType, { namespace: 'velero', name: 'download' });
    expect(world.download()).toBeUndefined();
  });
});

describe('a spec that stops making sense while the movement runs', () => {
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
