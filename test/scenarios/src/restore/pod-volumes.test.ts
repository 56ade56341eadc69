import {
  backupStorageLocationType,
  eventType,
  namespaceType,
  type PersistentVolumeClaim,
  type Pod,
  type PodVolumeBackup,
  type PodVolumeRestore,
  persistentVolumeClaimType,
  persistentVolumeType,
  podType,
  podVolumeRestoreType,
  restoreType,
} from '@lateen/api-types';
import { backupStore } from '@lateen/backup-store';
import { builtInActions } from '@lateen/item-actions';
import { keyOf, kubeError } from '@lateen/kube';
import { restoreItems } from '@lateen/restore';
import { aNamespace, aPersistentVolume, aPersistentVolumeClaim, aPod, aStorageClass } from '@lateen/testing';
import { describe, expect, it } from 'vitest';
import { type Mortality, mortalKube } from '../world/mortal-kube.ts';
import type { RestoreControllerWorld } from './controller-world.ts';
import { restoreControllerWorlds } from './controller-worlds.ts';

const worlds = restoreControllerWorlds();

const podVolumeBackup = (pod: string, volume: string): PodVolumeBackup => ({
  apiVersion: 'velero.io/v1',
  kind: 'PodVolumeBackup',
  metadata: { namespace: 'velero', name: `nightly-${pod}-${volume}`, labels: { 'velero.io/backup-name': 'nightly' } },
  spec: {
    node: 'n1',
    volume,
    pod: { kind: 'Pod', namespace: 'shop', name: pod },
    backupStorageLocation: 'that of the other cluster',
    repoIdentifier: '',
    uploaderType: 'kopia',
  },
  status: { phase: 'Completed', snapshotID: `id-of-${pod}-${volume}`, progress: { totalBytes: 100, bytesDone: 100 } },
});

/** The claim of `db-0`, which `web` mounts too in some tests. */
const shared: PodVolumeBackup = {
  ...podVolumeBackup('db-0', 'data'),
  metadata: { namespace: 'velero', name: 'nightly-shared', annotations: { 'velero.io/pvc-name': 'data-db-0' } },
};

/** The status that a node-agent writes to a PodVolumeRestore. */
type Agent = (restore: PodVolumeRestore) => PodVolumeRestore['status'] | undefined;

const completes: Agent = () => ({ phase: 'Completed', node: 'n1', progress: { totalBytes: 100, bytesDone: 100 } });

/**
 * Simulates the node-agents and the provisioner: a PodVolumeRestore without an end gets the status that `agent` returns; one with
 * spec.cancel is canceled.
 */
function play(world: RestoreControllerWorld, agent: { act: Agent }): void {
  const bind = (): boolean => {
    const claim = world.cluster.all(persistentVolumeClaimType, 'shop').find(({ spec }) => !spec.volumeName);
    if (claim === undefined) return false;
    const { namespace = '', name = '', uid = '' } = claim.metadata;
    world.cluster.put(aPersistentVolume({ name: `new-${name}`, claim: { namespace, name, uid } }));
    world.cluster.change<PersistentVolumeClaim>(persistentVolumeClaimType, { namespace, name }, (object) => {
      object.spec = { ...object.spec, volumeName: `new-${name}` };
      object.status = { ...object.status, phase: 'Bound' };
    });
    return true;
  };
  const step = (): boolean => {
    const open = world.cluster
      .all(podVolumeRestoreType)
      .filter(
        ({ status }) => status?.phase !== 'Completed' && status?.phase !== 'Failed' && status?.phase !== 'Canceled',
      );
    for (const each of open) {
      const status = each.spec.cancel === true ? ({ phase: 'Canceled' } as const) : agent.act(each);
      if (status === undefined || status.phase === each.status?.phase) continue;
      world.cluster.change<PodVolumeRestore>(podVolumeRestoreType, keyOf(each), (object) => {
        object.status = { ...object.status, ...status };
      });
      return true;
    }
    return false;
  };
  world.cluster.intercept(async (call, next) => {
    try {
      return await next();
    } finally {
      if (!['get', 'list', 'watch'].includes(call.verb)) while ([bind(), step()].includes(true));
    }
  });
}

const mount = (name: string) => ({ name, mountPath: `/${name}` });

/** Two pods: one with a claim and an emptyDir, one with an emptyDir. All are backed up through the file system and then deleted. */
async function lost(agent: { act: Agent } = { act: completes }) {
  const world = worlds.empty({
    engine: { restoreItems },
    restoreActions: builtInActions({ csi: true, podVolumes: { image: async () => 'lateen:1' } }).restore,
    objects: [
      aNamespace({ name: 'shop' }),
      aStorageClass(),
      aPod({
        name: 'db-0',
        namespace: 'shop',
        phase: 'Running',
        spec: {
          containers: [{ name: 'db', volumeMounts: [mount('data'), mount('cache')] }],
          volumes: [
            { name: 'data', persistentVolumeClaim: { claimName: 'data-db-0' } },
            { name: 'cache', emptyDir: {} },
          ],
        },
      }),
      aPod({
        name: 'web',
        namespace: 'shop',
        phase: 'Running',
        spec: {
          containers: [{ name: 'web', volumeMounts: [mount('files'), mount('theirs')] }],
          volumes: [
            { name: 'files', emptyDir: {} },
            { name: 'theirs', persistentVolumeClaim: { claimName: 'data-db-0' } },
          ],
        },
      }),
      aPersistentVolumeClaim({ name: 'data-db-0', namespace: 'shop', uid: 'uid-data', volumeName: 'pv-data' }),
      aPersistentVolume({ name: 'pv-data', claim: { namespace: 'shop', name: 'data-db-0', uid: 'uid-data' } }),
    ],
  });
  const life = world.start();
  await world.create('nightly', { includedNamespaces: ['shop'], snapshotVolumes: false });
  await world.until('nightly', 'Completed');
  await life.stop();
  const files = backupStore(world.bucket, '');
  await files.putVolumeInfo('nightly', [
    {
      pvcName: 'data-db-0',
      pvcNamespace: 'shop',
      pvName: 'pv-data',
      backupMethod: 'PodVolumeBackup',
      snapshotDataMoved: false,
      preserveLocalSnapshot: false,
      skipped: false,
      pvInfo: { reclaimPolicy: 'Retain', labels: { disk: 'fast' } },
    },
  ]);
  await files.putPodVolumeBackups('nightly', [
    podVolumeBackup('db-0', 'data'),
    podVolumeBackup('db-0', 'cache'),
    podVolumeBackup('web', 'files'),
  ]);
  for (const pod of ['db-0', 'web']) world.cluster.remove(podType, { namespace: 'shop', name: pod });
  world.cluster.remove(persistentVolumeClaimType, { namespace: 'shop', name: 'data-db-0' });
  world.cluster.remove(persistentVolumeType, { name: 'pv-data' });
  world.cluster.remove(namespaceType, { name: 'shop' });
  play(world, agent);
  return world;
}

const volumesOf = (world: RestoreControllerWorld) =>
  world.cluster
    .all(podVolumeRestoreType)
    .map(({ spec }) => `${spec.pod.name}:${spec.volume}`)
    .sort();

const waitersOf = (world: RestoreControllerWorld) =>
  world.cluster.all(podType, 'shop').map(({ metadata, spec }: Pod) => [metadata.name, spec.initContainers?.[0]?.name]);

describe('a restore of volumes that were backed up through the file system', () => {
  it('creates a PodVolumeRestore for each when its pod exists, and is Completed when all are', async () => {
    const world = await lost();
    world.startRestores();
    await world.createRestore('r');
    const { status } = await world.untilRestore('r', 'Completed', 'PartiallyFailed', 'Failed');
    expect(await world.restored.getResults('r')).toEqual({ errors: {}, warnings: {} });
    expect(status).toMatchObject({ phase: 'Completed', restoreItemOperationsCompleted: 3 });
    expect(volumesOf(world)).toEqual(['db-0:cache', 'db-0:data', 'web:files']);
    expect(waitersOf(world)).toEqual([
      ['db-0', 'restore-wait'],
      ['web', 'restore-wait'],
    ]);
    const { uid } = world.restore('r')?.metadata ?? {};
    for (const pod of world.cluster.all(podType, 'shop'))
      expect(pod.metadata.annotations).toMatchObject({ 'lateen.dev/volumes-restored': uid });
    const [location] = world.cluster.all(backupStorageLocationType);
    for (const { spec } of world.cluster.all(podVolumeRestoreType)) {
      const pod = world.cluster.find(podType, { namespace: 'shop', name: spec.pod.name ?? '' });
      expect(spec.pod.uid).toBe(pod?.metadata.uid);
      expect(spec.backupStorageLocation).toBe(location?.metadata.name);
      expect(spec.snapshotID).toBe(`id-of-${spec.pod.name}-${spec.volume}`);
    }
    expect(world.cluster.find(persistentVolumeType, { name: 'new-data-db-0' })).toMatchObject({
      metadata: { labels: { disk: 'fast' } },
      spec: { persistentVolumeReclaimPolicy: 'Retain' },
    });
  });

  it('is PartiallyFailed when one of them fails, and names the volume and the cause', async () => {
    const world = await lost({
      act: (each) => (each.spec.volume === 'cache' ? { phase: 'Failed', message: 'no space left' } : completes(each)),
    });
    world.startRestores();
    await world.createRestore('r');
    const { status } = await world.untilRestore('r', 'Completed', 'PartiallyFailed', 'Failed');
    expect(status).toMatchObject({ phase: 'PartiallyFailed', errors: 1, restoreItemOperationsFailed: 1 });
    const { errors } = await world.restored.getResults('r');
    expect(JSON.stringify(errors)).toContain('no space left');
    expect(errors.namespaces?.shop).toHaveLength(1);
    const volumes = await world.restored.getVolumeInfo('r');
    expect(volumes.map(({ pvcName, restoreMethod, pvrInfo }) => [pvcName, restoreMethod, pvrInfo]).sort()).toEqual([
      [undefined, 'PodVolumeRestore', expect.objectContaining({ volumeName: 'cache', Phase: 'Failed' })],
      [
        undefined,
        'PodVolumeRestore',
        expect.objectContaining({ podName: 'web', volumeName: 'files', Phase: 'Completed' }),
      ],
      [
        'data-db-0',
        'PodVolumeRestore',
        {
          podNamespace: 'shop',
          podName: 'db-0',
          volumeName: 'data',
          uploaderType: 'kopia',
          snapshotHandle: 'id-of-db-0-data',
          size: 100,
          nodeName: 'n1',
          Phase: 'Completed',
        },
      ],
    ]);
  });

  it('cancels them when it is cancelled', async () => {
    const world = await lost({ act: () => ({ phase: 'InProgress' }) });
    world.startRestores();
    await world.createRestore('r');
    await world.untilRestore('r', 'WaitingForPluginOperations');
    await world.cluster.patch(
      restoreType,
      { namespace: 'velero', name: 'r' },
      { type: 'merge', body: { spec: { cancel: true } } },
    );
    await world.untilRestore('r', 'Canceled');
    expect(world.cluster.all(podVolumeRestoreType).map(({ status }) => status?.phase)).toEqual([
      'Canceled',
      'Canceled',
      'Canceled',
    ]);
  });

  /** Every write of a whole restore, once before the API server gets it and once after, with the answer lost. */
  const deaths = Array.from({ length: 24 }, (_, atWrite) =>
    (['before', 'after'] as const).map((when) => ({ atWrite, when })),
  ).flat();
  it.each(deaths)('creates each once, whenever its controller dies ($atWrite, $when)', async (death) => {
    const world = await lost();
    const mortality: Mortality = {
      dead: false,
      writes: 0,
      death,
      die: () => {
        mortality.dead = true;
      },
    };
    const first = world.startRestores(mortalKube(world.cluster, mortality));
    await world.createRestore('r');
    await world.untilTrue(() => mortality.dead || world.restore('r')?.status?.phase === 'Completed');
    await first.stop();
    world.startRestores();
    const { status } = await world.untilRestore('r', 'Completed', 'PartiallyFailed', 'Failed');
    expect(await world.restored.getResults('r')).toEqual({ errors: {}, warnings: {} });
    expect([status?.phase, status?.failureReason]).toEqual(['Completed', undefined]);
    expect(volumesOf(world)).toEqual(['db-0:cache', 'db-0:data', 'web:files']);
  });
});

describe('a restore of pods that another restore is restoring', () => {
  it('leaves their volumes to that restore, with an error', async () => {
    const agent = { act: (() => ({ phase: 'InProgress' })) as Agent };
    const world = await lost(agent);
    world.startRestores();
    await world.createRestore('first');
    await world.untilRestore('first', 'WaitingForPluginOperations');
    await world.createRestore('r');
    const { status } = await world.untilRestore('r', 'Completed', 'PartiallyFailed', 'Failed');
    expect(status).toMatchObject({ phase: 'PartiallyFailed', errors: 1 });
    expect(JSON.stringify(await world.restored.getResults('r'))).toContain('of another restore writes it');
    expect(world.cluster.all(podVolumeRestoreType)).toHaveLength(3);
  });

  it('restores the data that the other restore could not, after the pod was deleted', async () => {
    const agent = { act: (() => ({ phase: 'Failed', message: 'no space left' })) as Agent };
    const world = await lost(agent);
    world.startRestores();
    await world.createRestore('first');
    await world.untilRestore('first', 'PartiallyFailed');
    world.cluster.remove(podType, { namespace: 'shop', name: 'db-0' });
    agent.act = completes;
    await world.createRestore('r');
    await world.untilRestore('r', 'Completed', 'PartiallyFailed', 'Failed');
    expect((await world.restored.getResults('r')).errors).toEqual({});
    const done = world.cluster.all(podVolumeRestoreType).filter(({ status }) => status?.phase === 'Completed');
    expect(done.map(({ spec }) => `${spec.pod.name}:${spec.volume}`).sort()).toEqual(['db-0:cache', 'db-0:data']);
  });
});

/** Events of pods, as `pod: reason: message`. */
const podEvents = (world: RestoreControllerWorld) =>
  world.cluster
    .all(eventType)
    .filter(({ involvedObject }) => involvedObject.kind === 'Pod')
    .map(({ involvedObject, reason, message }) => `${involvedObject.name}: ${reason}: ${message}`);

const setPod = (world: RestoreControllerWorld, name: string, change: (pod: Pod) => void) =>
  world.cluster.change<Pod>(podType, { namespace: 'shop', name }, change);

const waits = (pod: Pod, state: object, nodeName = 'n1') => {
  pod.spec.nodeName = nodeName;
  pod.status = { phase: 'Pending', initContainerStatuses: [{ name: 'restore-wait', state } as never] };
};

async function errorsOf(world: RestoreControllerWorld): Promise<string[]> {
  await world.untilRestore('r', 'PartiallyFailed', 'Completed', 'Failed');
  return (await world.restored.getResults('r')).errors.namespaces?.shop ?? [];
}

describe('a pod that never starts to wait for its volumes', () => {
  /** The volumes of `web` are restored; those of `db-0` are handled by no node-agent. */
  const onlyWeb: Agent = (each) => (each.spec.pod.name === 'web' ? completes(each) : undefined);

  async function neverStarting(change: (pod: Pod) => void) {
    const world = await lost({ act: onlyWeb });
    world.startRestores();
    await world.createRestore('r');
    await world.untilRestore('r', 'WaitingForPluginOperations');
    setPod(world, 'db-0', change);
    return world;
  }

  it.each<[string, (pod: Pod) => void, string]>([
    [
      'because no node takes it',
      (pod) => {
        const message = '0/3 nodes are available: 3 node(s) had untolerated taint {a: b}';
        pod.status = { phase: 'Pending', conditions: [{ type: 'PodScheduled', status: 'False', message }] };
      },
      'pod shop/db-0 was not scheduled within 10m0s: 0/3 nodes are available: 3 node(s) had untolerated taint {a: b}',
    ],
    [
      'because an image is missing',
      (pod) => waits(pod, { waiting: { reason: 'ImagePullBackOff', message: 'Back-off pulling image "lateen:1"' } }),
      'the init container of pod shop/db-0 that waits for its volumes did not start within 10m0s on node n1: ImagePullBackOff: Back-off pulling image "lateen:1"',
    ],
    [
      'because it was evicted',
      (pod) => {
        pod.status = { phase: 'Failed', reason: 'Evicted', message: 'The node was low on memory' };
      },
      'pod shop/db-0 has ended: Evicted: The node was low on memory',
    ],
    [
      'because no node-agent is on its node',
      (pod) => waits(pod, { running: { startedAt: '2030-01-01T00:00:00Z' } }, 'n9'),
      'no node-agent runs on node n9, where pod shop/db-0 waits',
    ],
  ])(
    '%s: the restores of its volumes are canceled with the reason, and others are not delayed',
    async (_title, change, reason) => {
      const world = await neverStarting(change);
      const done = () => world.cluster.all(podVolumeRestoreType).filter(({ status }) => status?.phase === 'Completed');
      expect(done().map(({ spec }) => spec.pod.name)).toEqual(['web']);
      const errors = await errorsOf(world);
      expect(errors).toHaveLength(2);
      for (const error of errors) expect(error).toContain(`pod volume restore canceled: ${reason}`);
      expect(world.cluster.all(podVolumeRestoreType).filter(({ spec }) => spec.cancel === true)).toHaveLength(2);
    },
  );

  it('because it was deleted: the restores of its volumes are canceled', async () => {
    const world = await neverStarting(() => {});
    world.cluster.remove(podType, { namespace: 'shop', name: 'db-0' });
    const errors = await errorsOf(world);
    expect(errors.filter((text) => text.includes('pod shop/db-0 is not there any more'))).toHaveLength(2);
    expect(podEvents(world)).toEqual([]);
  });

  it('while one of its claims gets its data in another way: its time starts after that', async () => {
    const world = await neverStarting(() => {});
    const download = {
      apiVersion: 'velero.io/v2alpha1',
      kind: 'DataDownload',
      metadata: {
        namespace: 'velero',
        name: 'r-other',
        labels: { 'velero.io/restore-uid': world.restore('r')?.metadata.uid ?? '' },
      },
      spec: { targetVolume: { namespace: 'shop', pvc: 'data-db-0', pv: '' } },
      status: { phase: 'InProgress' },
    };
    world.cluster.put(download as never);
    const beganMs = world.clock.now();
    await world.untilTrue(() => world.clock.now() - beganMs > 3_600_000);
    expect(world.restore('r')?.status?.phase).toBe('WaitingForPluginOperations');
    world.cluster.put({
      ...download,
      status: { phase: 'Completed', completionTimestamp: new Date(world.clock.now()).toISOString() },
    } as never);
    const errors = await errorsOf(world);
    expect(errors.filter((text) => text.includes('was not scheduled within'))).toHaveLength(2);
    expect(world.clock.now() - beganMs).toBeGreaterThanOrEqual(3_600_000 + 600_000);
  });
});

describe('a pod whose volumes could not be restored', () => {
  const cacheFails: Agent = (each) =>
    each.spec.volume === 'cache' ? { phase: 'Failed', message: 'no space left' } : completes(each);
  const waitingPods = (world: RestoreControllerWorld) => {
    for (const pod of world.cluster.all(podType, 'shop'))
      setPod(world, pod.metadata.name ?? '', (each) => waits(each, { running: { startedAt: '2030-01-01T00:00:00Z' } }));
  };
  const marked = (world: RestoreControllerWorld) =>
    world.cluster
      .all(podType, 'shop')
      .filter(({ metadata }) => metadata.annotations?.['lateen.dev/start-without-data'] !== undefined)
      .map(({ metadata }) => metadata.name);

  it('waits, and an Event says for which volumes and what to do', async () => {
    const world = await lost({ act: cacheFails });
    world.startRestores();
    await world.createRestore('r');
    await errorsOf(world);
    expect(podEvents(world)).toEqual([
      'db-0: VolumeNotRestored: Restore r could not restore volumes of the pod. It waits: delete it and restore it again, or let it start with what they have: kubectl -n shop annotate pod db-0 lateen.dev/start-without-data=true. Volumes: cache (pod volume restore failed: no space left)',
    ]);
    expect(marked(world)).toEqual([]);
  });

  it('starts with on-failed-pod-volume "start", after all writes to it have ended', async () => {
    const agent = {
      act: ((each) => (each.spec.volume === 'data' ? { phase: 'InProgress' } : cacheFails(each))) as Agent,
    };
    const world = await lost(agent);
    world.startRestores();
    await world.createRestore('r', undefined, { 'lateen.dev/on-failed-pod-volume': 'start' });
    await world.untilRestore('r', 'WaitingForPluginOperationsPartiallyFailed');
    expect(marked(world)).toEqual([]);
    agent.act = completes;
    const data = world.cluster.all(podVolumeRestoreType).find(({ spec }) => spec.volume === 'data');
    world.cluster.change<PodVolumeRestore>(podVolumeRestoreType, keyOf(data as PodVolumeRestore), (each) => {
      each.status = { ...each.status, phase: 'Completed' };
    });
    await errorsOf(world);
    expect(marked(world)).toEqual(['db-0']);
  });

  it('is annotated also when it only mounts the claim of another pod, by whether that claim has its data', async () => {
    for (const phase of ['Failed', 'Completed'] as const) {
      const agent = { act: (() => ({ phase: 'InProgress' })) as Agent };
      const world = await lost(agent);
      await backupStore(world.bucket, '').putPodVolumeBackups('nightly', [shared]);
      world.startRestores();
      await world.createRestore('r', undefined, { 'lateen.dev/on-failed-pod-volume': 'start' });
      await world.untilRestore('r', 'WaitingForPluginOperations');
      waitingPods(world);
      expect(volumesOf(world)).toHaveLength(1);
      agent.act = () => ({ phase });
      const [only] = world.cluster.all(podVolumeRestoreType);
      world.cluster.change<PodVolumeRestore>(podVolumeRestoreType, keyOf(only as PodVolumeRestore), (each) => {
        each.status = { ...each.status, phase };
      });
      await errorsOf(world);
      const told = phase === 'Failed' ? 'lateen.dev/start-without-data' : 'lateen.dev/volumes-restored';
      for (const pod of world.cluster.all(podType, 'shop')) expect(pod.metadata.annotations).toHaveProperty([told]);
      await world.end();
    }
  });

  it('gets an Event when the restore is cancelled', async () => {
    const world = await lost({ act: () => ({ phase: 'InProgress' }) });
    world.startRestores();
    await world.createRestore('r');
    await world.untilRestore('r', 'WaitingForPluginOperations');
    waitingPods(world);
    const body = { spec: { cancel: true } };
    await world.cluster.patch(restoreType, { namespace: 'velero', name: 'r' }, { type: 'merge', body });
    await world.untilRestore('r', 'Canceled');
    expect(
      podEvents(world)
        .map((text) => text.slice(0, text.indexOf(':')))
        .sort(),
    ).toEqual(['db-0', 'web']);
  });

  it('gets an Event when its PodVolumeRestore is deleted', async () => {
    const world = await lost({ act: (each) => (each.spec.volume === 'cache' ? undefined : completes(each)) });
    world.startRestores();
    await world.createRestore('r');
    await world.untilRestore('r', 'WaitingForPluginOperations');
    waitingPods(world);
    const cache = world.cluster.all(podVolumeRestoreType).find(({ spec }) => spec.volume === 'cache');
    world.cluster.remove(podVolumeRestoreType, keyOf(cache as PodVolumeRestore));
    await errorsOf(world);
    expect(podEvents(world)).toEqual([
      expect.stringContaining(`Volumes: cache (PodVolumeRestore ${cache?.metadata.name} was deleted)`),
    ]);
  });

  it('gets the annotation in a retry before the restore ends', async () => {
    const world = await lost({ act: cacheFails });
    world.cluster.failOnce('patch', (call) => call.type === podType && call.key.name === 'db-0', 'KUBE_UNAVAILABLE');
    world.startRestores();
    await world.createRestore('r', undefined, { 'lateen.dev/on-failed-pod-volume': 'start' });
    await errorsOf(world);
    expect(marked(world)).toEqual(['db-0']);
  });

  it('gets the annotation when the restore is cancelled, also when that fails for another pod', async () => {
    const world = await lost({ act: () => ({ phase: 'InProgress' }) });
    world.cluster.intercept(async (call, next) => {
      if (call.verb === 'patch' && call.type === podType && call.key.name === 'db-0')
        throw kubeError('KUBE_FORBIDDEN', 'a webhook does not like it');
      return await next();
    });
    world.startRestores();
    await world.createRestore('r', undefined, { 'lateen.dev/on-failed-pod-volume': 'start' });
    await world.untilRestore('r', 'WaitingForPluginOperations');
    waitingPods(world);
    const body = { spec: { cancel: true } };
    await world.cluster.patch(restoreType, { namespace: 'velero', name: 'r' }, { type: 'merge', body });
    await world.untilRestore('r', 'Canceled');
    expect(marked(world)).toEqual(['web']);
  });

  it('gets the annotation when the timeout ends and its volumes are canceled', async () => {
    const world = await lost({ act: () => ({ phase: 'InProgress' }) });
    world.startRestores();
    await world.createRestore('r', undefined, { 'velero.io/pod-volume-timeout': '20m' });
    const errors = await errorsOf(world);
    expect(errors).toHaveLength(3);
    for (const error of errors)
      expect(error).toContain('timed out waiting for all PodVolumeRestores to complete (20m0s)');
    expect(world.cluster.all(podVolumeRestoreType).every(({ status }) => status?.phase === 'Canceled')).toBe(true);
    expect(podEvents(world)).toHaveLength(2);
  });
});
