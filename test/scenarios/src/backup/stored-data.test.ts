import {
  backupRepositoryType,
  backupType,
  configMapType,
  type DataUpload,
  dataUploadType,
  finalizers,
} from '@lateen/api-types';
import { kubeError } from '@lateen/kube';
import { aBackupRepository, aConfigMap, aDataUpload, aNamespace } from '@lateen/testing';
import { describe, expect, it } from 'vitest';
import { type Mortality, mortalKube } from '../world/mortal-kube.ts';
import { aBackup, type BackupWorld, namespace } from './backup-world.ts';
import { backupWorlds } from './backup-worlds.ts';
import { gateAction } from './gate-action.ts';
import { retentionBeside } from './retention-beside.ts';

const worlds = backupWorlds();

const shop = [aNamespace({ name: 'shop' }), aConfigMap({ name: 'settings', namespace: 'shop' })];
const ofShop = { includedNamespaces: ['shop'], storageLocation: 'default' };

const aRepository = (volumeNamespace: string, repositoryType = 'kopia') =>
  aBackupRepository({
    name: `${volumeNamespace}-default-${repositoryType}`,
    labels: {
      'velero.io/volume-namespace': volumeNamespace,
      'velero.io/storage-location': 'default',
      'velero.io/repository-type': repositoryType,
    },
    spec: { volumeNamespace, repositoryType: repositoryType as 'kopia' },
  });

/** A DataUpload of backup `b`; with `snapshotID` it is Completed. */
function upload(world: BackupWorld, name: string, sourceNamespace: string, snapshotID?: string): DataUpload {
  const labels = { 'velero.io/backup-uid': world.backup('b')?.metadata.uid ?? '' };
  const status =
    snapshotID === undefined ? { phase: 'InProgress' as const } : { phase: 'Completed' as const, snapshotID };
  return aDataUpload({ name, labels, spec: { sourceNamespace }, ...{ phase: status.phase }, status });
}

/** Three DataUploads that have stored something, in two repositories, and one that runs. */
function moveVolumes(world: BackupWorld): Map<string, Set<string>> {
  world.cluster.put(
    aRepository('app'),
    aRepository('shop'),
    upload(world, 'b-app', 'app', 'a1'),
    upload(world, 'b-app-2', 'app', 'a2'),
    upload(world, 'b-shop', 'shop', 's1'),
    upload(world, 'b-running', 'shop'),
  );
  return new Map([
    ['app/kopia', new Set(['a1', 'a2', 'other'])],
    ['shop/kopia', new Set(['s1', 'other'])],
  ]);
}

const requests = (world: BackupWorld) =>
  world.cluster.all(configMapType).filter(({ metadata }) => metadata.labels?.['lateen.dev/forget-request'] === 'true');

/** Requests to forget for each repository, with their owners. */
const asked = (world: BackupWorld) =>
  requests(world)
    .map(
      ({ data, metadata }) =>
        `${data?.repository}: ${data?.snapshots?.trim().replaceAll('\n', ' ')}${metadata.ownerReferences ?? ''}`,
    )
    .sort();

const ofBoth = ['app-default-kopia: a1 a2', 'shop-default-kopia: s1'];
const stored = (repositories: Map<string, Set<string>>) =>
  Object.fromEntries([...repositories].map(([key, ids]) => [key, [...ids]]));
const onlyOthers = { 'app/kopia': ['other'], 'shop/kopia': ['other'] };
const dueMs = 60_000;

async function running() {
  const gate = gateAction();
  const world = worlds.empty({ objects: shop, actions: { backup: [gate.action], block: [], delete: [], restore: [] } });
  const life = world.start();
  await world.create('b', ofShop);
  return { world, life, repositories: moveVolumes(world) };
}

const cancel = async (world: BackupWorld) => {
  await world.cluster.patch(backupType, { namespace, name: 'b' }, { type: 'merge', body: { spec: { cancel: true } } });
  await world.work();
};

describe('data that movements have stored for a backup that is cancelled or fails', () => {
  it('gets one request to be forgotten per repository when the backup is cancelled', async () => {
    const { world } = await running();
    await cancel(world);
    await world.until('b', 'Canceled');
    expect(world.cluster.all(dataUploadType)).toEqual([]);
    expect(asked(world)).toEqual(ofBoth);
  });

  it('is forgotten by one Job per repository, and the requests are deleted', async () => {
    const { world, repositories } = await running();
    const { jobs } = retentionBeside(world, repositories);
    await cancel(world);
    await world.until('b', 'Canceled');
    await world.clock.advance(dueMs);
    expect(jobs).toHaveLength(2);
    expect(stored(repositories)).toEqual(onlyOthers);
    expect(requests(world)).toEqual([]);
  });

  it('is forgotten also when the Backup was deleted and is gone', async () => {
    const { world, repositories } = await running();
    await world.cluster.delete(backupType, { namespace, name: 'b' });
    await world.work();
    await world.clock.advanceUntil(() => world.backup('b') === undefined);
    expect(world.cluster.all(dataUploadType)).toEqual([]);
    expect(asked(world)).toEqual(ofBoth);
    retentionBeside(world, repositories);
    await world.clock.advance(dueMs);
    expect(stored(repositories)).toEqual(onlyOthers);
    expect(requests(world)).toEqual([]);
  });

  it('gets requests to be forgotten when the controller of the backup has died', async () => {
    const { world, life } = await running();
    await life.stop();
    world.start();
    await world.until('b', 'Failed');
    expect(world.cluster.all(dataUploadType)).toEqual([]);
    expect(asked(world)).toEqual(ofBoth);
  });

  it('gets a request to be forgotten when a movement completes during its deletion', async () => {
    const { world } = await running();
    const late = upload(world, 'b-late', 'shop');
    late.metadata.finalizers = [finalizers.dataUploadDownload];
    world.cluster.put(late);
    const key = { namespace, name: 'b-late' };
    // As a node-agent does it: first the end, then the finalizer.
    let turn = 0;
    world.cluster.onChange(({ object }) => {
      if (object.metadata.name !== 'b-late' || object.metadata.deletionTimestamp === undefined) return;
      const bodies = [{ status: { phase: 'Completed', snapshotID: 'late' } }, { metadata: { finalizers: null } }];
      const body = bodies[turn++];
      if (body !== undefined) void world.cluster.patch(dataUploadType, key, { type: 'merge', body });
    });
    await cancel(world);
    await world.until('b', 'Canceled');
    expect(world.cluster.all(dataUploadType)).toEqual([]);
    expect(asked(world)).toContain('shop-default-kopia: late');
  });

  it('gets a request to be forgotten when a movement completes just before its deletion', async () => {
    const { world } = await running();
    const key = { namespace, name: 'b-running' };
    let isLate = true;
    world.cluster.intercept(async (call, next) => {
      if (isLate && call.verb === 'delete' && call.type.resource === 'datauploads' && call.key?.name === 'b-running') {
        isLate = false;
        world.cluster.change(dataUploadType, key, (now) => {
          now.status = { ...now.status, phase: 'Completed', snapshotID: 'just' };
        });
      }
      return await next();
    });
    await cancel(world);
    await world.until('b', 'Canceled');
    expect(isLate).toBe(false);
    expect(world.cluster.all(dataUploadType)).toEqual([]);
    expect(asked(world)).toEqual(['app-default-kopia: a1 a2', 'shop-default-kopia: just s1']);
  });

  it('is given up, with a log line, when the BackupRepository no longer exists', async () => {
    const { world } = await running();
    world.cluster.remove(backupRepositoryType, { namespace, name: 'app-default-kopia' });
    await cancel(world);
    await world.until('b', 'Canceled');
    expect(world.cluster.all(dataUploadType)).toEqual([]);
    expect(asked(world)).toEqual(['shop-default-kopia: s1']);
    expect(JSON.stringify(world.log.lines)).toContain('their BackupRepository does not exist any more');
  });

  it('keeps its DataUploads while the request cannot be written', async () => {
    const { world } = await running();
    let mayAsk = false;
    world.cluster.intercept(async (call, next) => {
      if (!mayAsk && call.verb === 'create' && call.type.resource === 'configmaps')
        throw kubeError('KUBE_FORBIDDEN', 'the right is missing');
      return await next();
    });
    await cancel(world);
    expect(world.phase('b')).toBe('Canceling');
    expect(world.cluster.all(dataUploadType).map(({ metadata }) => metadata.name)).toEqual([
      'b-app',
      'b-app-2',
      'b-shop',
    ]);
    mayAsk = true;
    await world.until('b', 'Canceled');
    expect(world.cluster.all(dataUploadType)).toEqual([]);
    expect(asked(world)).toEqual(ofBoth);
  });

  it('is forgotten, whichever write the controller dies at', async () => {
    const canceling = () => {
      const world = worlds.empty({
        objects: [...shop, aBackup('b', { ...ofShop, cancel: true }, { phase: 'Canceling' })],
      });
      return { world, repositories: moveVolumes(world) };
    };
    const live = async (world: BackupWorld, death?: Mortality['death']) => {
      const life: Mortality = {
        dead: false,
        writes: 0,
        death,
        die: () => {
          life.dead = true;
        },
      };
      const first = world.start(mortalKube(world.cluster, life));
      await world.work();
      await first.stop();
      return life.writes;
    };
    const writes = await live(canceling().world);
    expect(writes).toBeGreaterThan(6);
    for (let atWrite = 0; atWrite < writes; atWrite++) {
      for (const when of ['before', 'after'] as const) {
        const { world, repositories } = canceling();
        await live(world, { atWrite, when });
        world.start();
        await world.until('b', 'Canceled');
        expect(world.cluster.all(dataUploadType)).toEqual([]);
        retentionBeside(world, repositories);
        await world.clock.advance(dueMs);
        const where = `dead ${when} write ${atWrite}`;
        expect(stored(repositories), where).toEqual(onlyOthers);
        expect(requests(world), where).toEqual([]);
      }
    }
  });
});
