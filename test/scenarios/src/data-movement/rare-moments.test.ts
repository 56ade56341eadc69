import {
  type DataUpload,
  dataDownloadType,
  dataUploadType,
  finalizers,
  type Pod,
  persistentVolumeClaimType,
  persistentVolumeType,
  podType,
  volumeSnapshotType,
} from '@lateen/api-types';
import { movementLimits } from '@lateen/data-movement';
import { type KubeObject, kubeError } from '@lateen/kube';
import { type ApiCall, aDataUpload } from '@lateen/testing';
import { describe, expect, it } from 'vitest';
import { downloadWorld, uploadWorld } from '../world/movement-worlds.ts';
import { leftovers } from '../world/nothing-left.ts';
import { theDownload, untilConcluded, untilPhase, withAgents } from '../world/run-world.ts';
import type { World } from '../world/world.ts';

/*
 * The simulation (test/scenarios/src/simulation) found each of these defects. Each test shows one of them without randomness, in as few
 * steps as possible.
 */

/** The server carries the call out, but the caller gets an error instead of the answer. */
function loseAnswer(world: World, match: (call: ApiCall) => boolean, times = 1): void {
  let left = times;
  world.cluster.intercept(async (call, next) => {
    const answer = await next();
    if (left === 0 || !match(call)) return answer;
    left -= 1;
    world.react();
    throw kubeError('KUBE_UNAVAILABLE', 'the answer is lost');
  });
}

const patches =
  (kind: string, phase: string) =>
  (call: ApiCall): boolean =>
    call.verb === 'patch' && call.type.kind === kind && bodyPhase(call) === phase;
const bodyPhase = (call: ApiCall): string | undefined =>
  (call.body as { body?: { status?: { phase?: string } } }).body?.status?.phase;

const anUpload = (name: string): DataUpload =>
  aDataUpload({
    name,
    spec: {
      csiSnapshot: { volumeSnapshot: name, storageClass: 'lateen', snapshotClass: 'lateen', driver: 'csi.lateen.dev' },
    },
  });
const named = (name: string) => (world: World) => world.upload(name);

describe('a lost answer', () => {
  it('when a data path starts: its slot stays taken, and no second path starts beside it', async () => {
    const world = uploadWorld();
    world.addSnapshot('second');
    world.mover.script = 'hang';
    loseAnswer(world, patches('DataUpload', 'InProgress'));
    world.cluster.put(anUpload('second') as KubeObject);
    withAgents(world);
    await world.clock.advance(120_000);
    const phases = ['upload', 'second'].map((name) => world.upload(name)?.status?.phase);
    expect(phases.toSorted()).toEqual(['InProgress', 'Prepared']);
  });
  it('when the scheduling gate is removed from the pod: the exposure does not start again beside the restored volume', async () => {
    const world = downloadWorld();
    loseAnswer(world, (call) => call.verb === 'patch' && call.type.kind === 'Pod');
    withAgents(world);
    await untilConcluded(world, theDownload);
    await world.clock.advance(60_000);
    const claim = world.cluster.find(persistentVolumeClaimType, { namespace: 'app', name: 'data' });
    const volume = world.cluster.find(persistentVolumeType, { name: claim?.spec.volumeName ?? '' });
    expect(world.download()?.status?.phase).toBe('Completed');
    expect(world.cluster.calls.filter(({ verb, type }) => verb === 'create' && type.kind === 'Pod')).toHaveLength(1);
    expect(leftovers(world, { volumes: [volume?.spec.csi?.volumeHandle ?? ''] })).toEqual([]);
  });
  it('when a mover that ignores the cancel is given up: it is removed nevertheless', async () => {
    const world = uploadWorld();
    world.mover.script = 'ignoreCancel';
    withAgents(world);
    await untilPhase(world, 'InProgress');
    loseAnswer(world, patches('DataUpload', 'Canceled'));
    world.cluster.change<DataUpload>(dataUploadType, { namespace: 'velero', name: 'upload' }, ({ spec }) => {
      spec.cancel = true;
    });
    await untilConcluded(world);
    expect(world.upload()?.status?.phase).toBe('Canceled');
    expect(leftovers(world, { volumes: ['handle-pv-data'] })).toEqual([]);
  });
  it('when our snapshot is deleted: the content of the source is still found', async () => {
    const world = uploadWorld();
    // The source is deleted late, as when the first try fails and the movement has continued meanwhile.
    world.cluster.failTimes(3, 'delete', ({ key }) => key.name === 'content', 'KUBE_UNAVAILABLE');
    loseAnswer(
      world,
      ({ verb, type, key }) => verb === 'delete' && type === volumeSnapshotType && key.name === 'upload',
    );
    withAgents(world);
    await untilConcluded(world, undefined, 120_000);
    expect(world.upload()?.status?.phase).toBe('Completed');
    expect(leftovers(world, { volumes: ['handle-pv-data'] })).toEqual([]);
  });
});

describe('a node-agent that is restarted', () => {
  it('counts running movements before it starts a waiting one', async () => {
    const world = uploadWorld();
    world.addSnapshot('another');
    world.mover.script = 'hang';
    withAgents(world);
    await untilPhase(world, 'InProgress');
    // Sorts before the running one in every list.
    world.cluster.put(anUpload('another') as KubeObject);
    await world.until(() => world.upload('another')?.status?.phase === 'Prepared');
    await world.restartAgent();
    await world.rest();
    expect(world.upload('another')?.status?.phase).toBe('Prepared');
    world.mover.script = 'complete';
    world.react();
    await untilConcluded(world, named('another'));
    expect(world.upload('another')?.status?.phase).toBe('Completed');
  });
});

describe('a place in the prepare queue', () => {
  it('that was given to a movement which is canceled first goes to the next', async () => {
    const world = uploadWorld();
    world.limits = { ...movementLimits, prepareQueueLength: 1 };
    for (const name of ['second', 'third']) world.addSnapshot(name);
    world.storage.holdSnapshots = true;
    withAgents(world);
    await untilPhase(world, 'Accepted');
    world.cluster.put(anUpload('second') as KubeObject);
    await world.rest();
    world.cluster.change<DataUpload>(dataUploadType, { namespace: 'velero', name: 'second' }, ({ spec }) => {
      spec.cancel = true;
    });
    await world.until(() => world.upload('second')?.status?.phase === 'Canceled');
    world.cluster.put(anUpload('third') as KubeObject);
    world.storage.holdSnapshots = false;
    world.react();
    await untilConcluded(world, named('third'));
    expect(world.upload('third')?.status?.phase).toBe('Completed');
  });
});

describe('a restorePod', () => {
  it('that is deleted before it may be scheduled costs an attempt and nothing else', async () => {
    const world = downloadWorld();
    world.storage.binder.hold = true;
    withAgents(world);
    await world.until(() => world.cluster.find(podType, { namespace: 'velero', name: 'download' }) !== undefined);
    world.cluster.remove(podType, { namespace: 'velero', name: 'download' });
    world.storage.binder.hold = false;
    world.react();
    await untilConcluded(world, theDownload, 120_000);
    const { metadata, status } = world.cluster.find(dataDownloadType, { namespace: 'velero', name: 'download' }) ?? {};
    expect(status?.phase).toBe('Completed');
    expect(metadata?.annotations?.['lateen.dev/attempts']).toBe('2');
  });
});

describe('a node-agent that is lost', () => {
  it('is detected as lost although the others check at the moment of the event', async () => {
    const world = uploadWorld();
    world.storage.holdSnapshots = true;
    withAgents(world, 'node-1', 'node-2');
    await untilPhase(world, 'Accepted');
    const acceptor = world.upload()?.status?.acceptedByNode ?? '';
    await world.stopAgent(acceptor);
    await world.clock.advance(movementLimits.agentLostMs + 1_000);
    expect(world.upload()?.status).toMatchObject({
      phase: 'Accepted',
      acceptedByNode: acceptor === 'node-1' ? 'node-2' : 'node-1',
    });
  });
});

describe('a hosting pod that is being deleted and stays', () => {
  it('is removed when the exposure needs its name', async () => {
    const world = uploadWorld();
    world.kubelet.behaviour = 'hold';
    withAgents(world);
    const key = { namespace: 'velero', name: 'upload' };
    await world.until(() => world.cluster.find(podType, key) !== undefined);
    await world.rest();
    world.cluster.change<Pod>(podType, key, ({ metadata }) => {
      metadata.deletionTimestamp = '2030-01-01T00:00:00Z';
    });
    world.kubelet.behaviour = 'run';
    await world.restartAgent();
    await untilConcluded(world);
    expect(world.upload()?.status?.phase).toBe('Completed');
  });
});

describe('a claim that gets its volume while it is being deleted', () => {
  it('deletes the volume too, although its class has the policy Retain', async () => {
    const world = downloadWorld({ reclaimPolicy: 'Retain' });
    world.storage.holdVolumes = true;
    withAgents(world);
    await world.until(() => claimOf(world) !== undefined);
    await world.rest();
    // Between the read of the claim and its deletion.
    world.cluster.intercept(async (call, next) => {
      if (call.verb === 'delete' && call.type.kind === 'PersistentVolumeClaim' && world.storage.holdVolumes) {
        world.storage.holdVolumes = false;
        world.react();
      }
      return await next();
    });
    const cancel = { type: 'merge', body: { spec: { cancel: true } } } as const;
    await world.cluster.patch(dataDownloadType, { namespace: 'velero', name: 'download' }, cancel);
    await untilConcluded(world, theDownload);
    expect(world.storage.holdVolumes).toBe(false);
    expect(world.download()?.status?.phase).toBe('Canceled');
    expect(leftovers(world, { volumes: [] })).toEqual([]);
  });
});

const claimOf = (world: World) =>
  world.cluster.find(persistentVolumeClaimType, { namespace: 'velero', name: 'download' });

describe('a node-agent that was not running', () => {
  it('keeps the slot of a data path that was deleted meanwhile and ignores the cancel', async () => {
    const world = uploadWorld();
    world.addSnapshot('second');
    world.cluster.put(anUpload('second') as KubeObject);
    world.mover.script = 'ignoreCancel';
    withAgents(world);
    await world.rest();
    const phases = () => ['upload', 'second'].map((name) => world.upload(name)?.status?.phase);
    expect(phases().toSorted()).toEqual(['InProgress', 'Prepared']);
    const running = phases()[0] === 'InProgress' ? 'upload' : 'second';
    await world.stopAgent();
    await world.cluster.delete(dataUploadType, { namespace: 'velero', name: running });
    world.startAgent();
    await world.rest();
    expect(phases().toSorted()).toEqual(['Canceling', 'Prepared']);
  });
});

describe('an ended movement of a node that no longer has a node-agent', () => {
  /** Velero's node-agent ran before ours: after its prepare timeout it writes no completionTimestamp. */
  it.each([undefined, '2099-01-01T00:00:00Z'])(
    'is concluded by another node-agent, whatever its completionTimestamp: %s',
    async (at) => {
      const failed = aDataUpload({
        phase: 'Failed',
        acceptedByNode: 'node-2',
        finalizers: [finalizers.dataUploadDownload],
        status: {
          message: 'timeout on preparing data upload',
          ...(at === undefined ? {} : { completionTimestamp: at }),
        },
      });
      const world = withAgents(uploadWorld({}, failed));
      await world.clock.advance(movementLimits.anotherNodeGraceMs - 1_000);
      expect(world.upload()?.metadata.finalizers).toEqual([finalizers.dataUploadDownload]);
      await world.clock.advance(2_000);
      await world.rest();
      expect(world.upload()?.metadata.finalizers).toEqual([]);
      expect(leftovers(world, { volumes: ['handle-pv-data'] })).toEqual([]);
    },
  );
});
