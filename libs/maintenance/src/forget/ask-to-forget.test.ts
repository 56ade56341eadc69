import { type Backup, configMapType } from '@lateen/api-types';
import { aDataUpload, fakeCluster } from '@lateen/testing';
import { describe, expect, it } from 'vitest';
import { askToForget } from './ask-to-forget.ts';
import { withoutSnapshots } from './forget-request.ts';
import { snapshotOfUpload, snapshotsByRepository } from './stored-snapshots.ts';

const namespace = 'velero';
const { signal } = new AbortController();
const backup = {
  apiVersion: 'velero.io/v1',
  kind: 'Backup',
  metadata: { name: 'b', namespace, uid: 'u' },
  spec: {},
} as Backup;

describe('askToForget', () => {
  const ask = (cluster: ReturnType<typeof fakeCluster>, snapshotIDs: string[], owned = false, of = backup) =>
    askToForget(cluster, { namespace, repositoryName: 'r', snapshotIDs, backup: of, owned }, signal);

  it('creates the same request once, even when repeated', async () => {
    const cluster = fakeCluster();
    const name = await ask(cluster, ['a', 'b']);
    expect(await ask(cluster, ['a', 'b'])).toBe(name);
    expect(cluster.all(configMapType).map(({ metadata }) => metadata.name)).toEqual([name]);
    expect(await ask(cluster, ['a'])).not.toBe(name);
    expect(await ask(cluster, ['a', 'b'], false, { ...backup, metadata: { ...backup.metadata, uid: 'v' } })).not.toBe(
      name,
    );
  });

  it.each([
    [true, ['b']],
    [false, []],
  ])('creates a request that is owned by the Backup, or has no owner (owned: %s)', async (owned, owners) => {
    const cluster = fakeCluster({ garbageCollection: false });
    await ask(cluster, ['a'], owned);
    const [request] = cluster.all(configMapType);
    expect((request?.metadata.ownerReferences ?? []).map(({ name }) => name)).toEqual(owners);
    expect(request?.metadata.labels).toMatchObject({
      'velero.io/backup-uid': 'u',
      'lateen.dev/forget-request': 'true',
    });
    expect(request?.data).toEqual({ repository: 'r', snapshots: 'a\n' });
    expect(request && withoutSnapshots(request).data).toEqual({ repository: 'r' });
  });
});

describe('snapshotsByRepository', () => {
  it('groups the snapshots of movements by namespace and engine, each once', () => {
    const uploads = [
      aDataUpload({ status: { snapshotID: 'b' } }),
      aDataUpload({ status: { snapshotID: 'a' } }),
      aDataUpload({ status: { snapshotID: 'a' } }),
      aDataUpload({ status: { snapshotID: 'c' }, spec: { dataMoverConfig: { UploaderType: 'restic' } } }),
      aDataUpload({ status: { snapshotID: 'd' }, spec: { datamover: 'theirs' } }),
      aDataUpload({}),
    ];
    expect(snapshotsByRepository(uploads.map(snapshotOfUpload))).toEqual([
      { engine: 'kopia', volumeNamespace: 'app', snapshotIDs: ['a', 'b'] },
      { engine: 'restic', volumeNamespace: 'app', snapshotIDs: ['c'] },
    ]);
  });
});
