import {
  type DataDownload,
  type DataUpload,
  dataDownloadType,
  dataUploadType,
  finalizers,
  isTerminalPhase,
  labels,
  type Pod,
  podType,
  type VolumeSnapshot,
  volumeSnapshotType,
} from '@lateen/api-types';
import { movementLimits } from '@lateen/data-movement';
import { aDataDownload, aDataUpload, aPersistentVolumeClaim } from '@lateen/testing';
import { describe, expect, it } from 'vitest';
import { restoreSelector, uploadWorld } from '../world/movement-worlds.ts';
import { withAgents } from '../world/run-world.ts';
import type { World } from '../world/world.ts';

const movements = (world: World): (DataUpload | DataDownload)[] => [
  ...world.cluster.all<DataUpload>(dataUploadType),
  ...world.cluster.all<DataDownload>(dataDownloadType),
];
const inPhase = (world: World, ...phases: string[]) =>
  movements(world)
    .filter((each) => phases.includes(each.status?.phase ?? 'New'))
    .map((each) => each.metadata.name);

/** That many uploads of snapshots of one claim, and a download into another claim. */
function crowd(uploads: number, options: { download: boolean }): World {
  const names = Array.from({ length: uploads }, (_, index) => `upload-${String(index).padStart(3, '0')}`);
  const target = aPersistentVolumeClaim({ name: 'target', uid: 'claim-target', spec: { selector: restoreSelector } });
  const download = aDataDownload({ spec: { targetVolume: { pv: '', pvc: 'target', namespace: 'app' } } });
  const world = uploadWorld({ extra: options.download ? [target, download] : [] }, aDataUpload({ name: 'upload' }));
  for (const name of names) {
    world.addSnapshot(name);
    world.cluster.put(
      aDataUpload({
        name,
        uid: `uid-of-${name}`,
        spec: { csiSnapshot: { volumeSnapshot: name, storageClass: 'lateen' } },
      }),
    );
  }
  return world;
}

/** Names of movements whose mover moves data: its pod runs and has been told to start. */
function moving(world: World): string[] {
  const running = world.cluster.all<Pod>(podType).filter((pod) => pod.status?.phase === 'Running');
  const begun = new Set(inPhase(world, 'InProgress', 'Canceling'));
  return running.flatMap(({ metadata: { name = '' } }) => (begun.has(name) ? [name] : []));
}

/** The highest count seen after any write. */
function watchMost(world: World, count: () => readonly unknown[]): { most: number } {
  const seen = { most: 0 };
  world.cluster.intercept(async (_, next) => {
    const answer = await next();
    seen.most = Math.max(seen.most, count().length);
    return answer;
  });
  return seen;
}
const allOver = (world: World) => () =>
  movements(world).every((each) => isTerminalPhase(each.status?.phase) && !each.metadata.finalizers?.length);

describe('slots', () => {
  it('are all used, and never exceeded', async () => {
    const world = crowd(11, { download: true });
    world.limits = { ...movementLimits, slots: 3 };
    const seen = watchMost(world, () => moving(world));
    world.mover.script = 'hang';
    withAgents(world);
    await world.rest();
    expect(moving(world)).toHaveLength(3);
    world.mover.script = 'complete';
    world.react();
    await world.until(allOver(world), 120_000);
    expect(inPhase(world, 'Completed')).toHaveLength(13);
    expect(seen.most).toBe(3);
  });
  it('go to the one restore before a full queue of backups, triggered by an event and not by a poll', async () => {
    const world = crowd(20, { download: false });
    world.mover.script = 'hang';
    withAgents(world);
    await world.rest();
    expect(inPhase(world, 'InProgress')).toHaveLength(1);
    expect(inPhase(world, 'Prepared')).toHaveLength(20);
    const target = aPersistentVolumeClaim({ name: 'target', uid: 'claim-target', spec: { selector: restoreSelector } });
    world.cluster.put(target, aDataDownload({ spec: { targetVolume: { pv: '', pvc: 'target', namespace: 'app' } } }));
    await world.until(() => world.download()?.status?.phase === 'Prepared');
    const before = world.clock.now();
    const [running] = inPhase(world, 'InProgress');
    await world.cluster.patch(
      dataUploadType,
      { namespace: 'velero', name: running ?? '' },
      { type: 'merge', body: { spec: { cancel: true } } },
    );
    await world.rest();
    expect(world.clock.now()).toBe(before);
    expect(inPhase(world, 'InProgress')).toEqual(['download']);
    world.mover.script = 'complete';
    world.react();
    await world.until(allOver(world), 300_000);
    expect(inPhase(world, 'Completed')).toHaveLength(21);
  });
});

describe('the prepare queue', () => {
  it('prepares no more movements at once than its length, and prepares all in the end', async () => {
    const world = crowd(15, { download: true });
    world.limits = { ...movementLimits, slots: 2, prepareQueueLength: 4 };
    const seen = watchMost(world, () => inPhase(world, 'Accepted', 'Prepared'));
    withAgents(world);
    await world.until(allOver(world), 300_000);
    expect(inPhase(world, 'Completed')).toHaveLength(17);
    expect(seen.most).toBe(4);
  });
  it('counts what other node-agents prepare, those of Velero included', async () => {
    const world = crowd(0, { download: false });
    world.limits = { ...movementLimits, prepareQueueLength: 1 };
    const others = aDataUpload({
      name: 'others',
      phase: 'Accepted',
      acceptedByNode: 'node-2',
      labels: { [labels.exposeOnGoing]: 'true' },
    });
    world.cluster.put(others);
    withAgents(world);
    await world.rest();
    expect(inPhase(world, 'New')).toEqual(['upload']);
    world.cluster.change<DataUpload>(dataUploadType, { namespace: 'velero', name: 'others' }, (object) => {
      object.status = { ...object.status, phase: 'Completed' };
      object.metadata.labels = {};
      object.metadata.finalizers = [];
    });
    await world.until(() => inPhase(world, 'Completed').includes('upload'));
  });
  it('gives the place of a canceled movement to the next', async () => {
    const world = crowd(1, { download: false });
    world.limits = { ...movementLimits, prepareQueueLength: 1 };
    world.kubelet.behaviour = 'hold';
    withAgents(world);
    await world.rest();
    const [first] = inPhase(world, 'Accepted');
    const [second] = inPhase(world, 'New');
    await world.cluster.patch(
      dataUploadType,
      { namespace: 'velero', name: first ?? '' },
      { type: 'merge', body: { spec: { cancel: true } } },
    );
    await world.until(() => inPhase(world, 'Accepted').includes(second));
  });
});

describe('a movement that waits for a place in the prepare queue', () => {
  const finalizer = finalizers.dataUploadDownload;
  /** One upload has the only place, another waits. */
  async function queued(...nodes: string[]) {
    const world = crowd(1, { download: false });
    world.limits = { ...movementLimits, prepareQueueLength: 1 };
    world.kubelet.behaviour = 'hold';
    withAgents(world, ...nodes);
    await world.rest();
    const [waiting = ''] = inPhase(world, 'New');
    return { world, waiting, key: { namespace: 'velero', name: waiting } };
  }
  const callsAbout = (world: World, name: string) =>
    world.cluster.calls
      .filter((call) => call.type === dataUploadType && call.key.name === name)
      .map(({ verb }) => verb);

  it('has our finalizer from the start, and leaves no snapshot when it is deleted', async () => {
    const { world, waiting, key } = await queued();
    expect(world.upload(waiting)?.metadata.finalizers).toEqual([finalizer]);
    const handle = waiting === 'upload' ? 'snapshot-handle' : 'handle-upload-000';
    expect([...world.storage.snapshots]).toContain(handle);
    await world.cluster.delete(dataUploadType, key);
    await world.until(() => world.upload(waiting) === undefined, 5_000);
    await world.rest();
    expect([...world.storage.snapshots]).not.toContain(handle);
    const name = waiting === 'upload' ? 'snapshot' : waiting;
    expect(world.cluster.find(volumeSnapshotType, { namespace: 'app', name })).toBeUndefined();
  });
  it('costs one API call while it waits, and one more to say why it waits', async () => {
    const { world, waiting } = await queued();
    expect(callsAbout(world, waiting)).toEqual(['patch']);
    await world.clock.advance(31_000);
    expect(callsAbout(world, waiting)).toEqual(['patch', 'patch']);
    await world.clock.advance(10 * 60_000);
    expect(callsAbout(world, waiting)).toEqual(['patch', 'patch']);
  });
  it('costs each additional node-agent at most two calls, and is written once', async () => {
    const { world, waiting } = await queued('node-1', 'node-2', 'node-3');
    expect(callsAbout(world, waiting).length).toBeLessThanOrEqual(1 + 2 * 2);
    expect(world.upload(waiting)?.metadata.finalizers).toEqual([finalizer]);
  });
  it('keeps the finalizers of others, and continues when there is a place', async () => {
    const world = crowd(0, { download: false });
    world.limits = { ...movementLimits, prepareQueueLength: 1 };
    const others = { name: 'others', phase: 'Accepted' as const, acceptedByNode: 'node-2' };
    const ofOthers = 'example.dev/audit';
    world.cluster.put(aDataUpload({ ...others, labels: { [labels.exposeOnGoing]: 'true' } }));
    world.cluster.change<DataUpload>(dataUploadType, { namespace: 'velero', name: 'upload' }, (object) => {
      object.metadata.finalizers = [ofOthers];
    });
    withAgents(world);
    await world.rest();
    expect(world.upload()?.metadata.finalizers).toEqual([ofOthers, finalizer]);
    world.cluster.remove(dataUploadType, { namespace: 'velero', name: 'others' });
    await world.until(() => inPhase(world, 'Completed').includes('upload'));
    await world.until(() => world.upload()?.metadata.finalizers?.length === 1);
    expect(world.upload()?.metadata.finalizers).toEqual([ofOthers]);
  });
  it('gets no finalizer when it is for another data mover', async () => {
    const { world } = await queued();
    world.cluster.put(aDataUpload({ name: 'foreign', uid: 'uid-of-foreign', spec: { datamover: 'example' } }));
    await world.clock.advance(60_000);
    expect(world.upload('foreign')?.metadata.finalizers).toBeUndefined();
    expect(callsAbout(world, 'foreign')).toEqual([]);
    await world.cluster.delete(dataUploadType, { namespace: 'velero', name: 'foreign' });
    expect(world.upload('foreign')).toBeUndefined();
  });
  it('is cleaned up before its end when it was already being deleted and is held by a finalizer of others', async () => {
    const world = crowd(0, { download: false });
    world.cluster.change<DataUpload>(dataUploadType, { namespace: 'velero', name: 'upload' }, (object) => {
      object.metadata.finalizers = ['example.dev/audit'];
    });
    await world.cluster.delete(dataUploadType, { namespace: 'velero', name: 'upload' });
    withAgents(world);
    await world.until(() => inPhase(world, 'Canceled').includes('upload'), 5_000);
    await world.rest();
    expect(world.upload()?.metadata.finalizers).toEqual(['example.dev/audit']);
    expect([...world.storage.snapshots]).toEqual([]);
  });
});

describe('exposures', () => {
  it('are limited to what one node-agent can follow; each that ends makes a place for the next immediately', async () => {
    const world = crowd(9, { download: true });
    world.limits = { ...movementLimits, slots: 20, exposuresMax: 2 };
    world.mover.script = 'hang';
    withAgents(world);
    const before = world.clock.now();
    await world.rest();
    expect(inPhase(world, 'InProgress')).toHaveLength(11);
    expect(world.clock.now()).toBe(before);
  });
  /** One place for exposures, and the upload that has it makes no progress. */
  async function blocked() {
    const world = crowd(2, { download: false });
    world.limits = { ...movementLimits, exposuresMax: 1 };
    const key = { namespace: 'app', name: 'snapshot' };
    world.cluster.change<VolumeSnapshot>(volumeSnapshotType, key, ({ status }) => {
      if (status !== undefined) status.readyToUse = false;
    });
    withAgents(world);
    await world.rest();
    expect(inPhase(world, 'Accepted')).toHaveLength(3);
    return world;
  }
  it('free their place when they are canceled', async () => {
    const world = await blocked();
    const body = { spec: { cancel: true } };
    await world.cluster.patch(dataUploadType, { namespace: 'velero', name: 'upload' }, { type: 'merge', body });
    await world.until(allOver(world), 30_000);
    expect([inPhase(world, 'Canceled'), inPhase(world, 'Completed')]).toEqual([
      ['upload'],
      ['upload-000', 'upload-001'],
    ]);
  });
  it('end the wait of a movement that is canceled before its turn', async () => {
    const world = await blocked();
    const body = { spec: { cancel: true } };
    for (const name of ['upload-000', 'upload'])
      await world.cluster.patch(dataUploadType, { namespace: 'velero', name }, { type: 'merge', body });
    await world.until(allOver(world), 30_000);
    expect(inPhase(world, 'Completed')).toEqual(['upload-001']);
  });
});

describe('a movement that waits in a queue', () => {
  it('for a slot says so once after a while, and removes the message when it continues', async () => {
    const world = crowd(1, { download: false });
    world.mover.script = 'hang';
    withAgents(world);
    await world.rest();
    const [waiting = ''] = inPhase(world, 'Prepared');
    expect(world.upload(waiting)?.status?.message).toBeUndefined();
    await world.clock.advance(31_000);
    const message =
      'waiting: 1 data path runs on node node-1, the maximum (loadConcurrency in the node-agent configuration)';
    expect(world.upload(waiting)?.status?.message).toBe(message);
    const version = world.upload(waiting)?.metadata.resourceVersion;
    await world.clock.advance(25_000);
    expect(world.upload(waiting)?.metadata.resourceVersion).toBe(version);
    world.mover.script = 'complete';
    world.react();
    await world.until(allOver(world), 60_000);
    expect(world.upload(waiting)?.status).toMatchObject({ phase: 'Completed' });
    expect(world.upload(waiting)?.status?.message).toBeUndefined();
  });
  it('for a place in the prepare queue says so too, and leaves nothing when it is canceled there', async () => {
    const world = crowd(1, { download: false });
    world.limits = { ...movementLimits, prepareQueueLength: 1 };
    world.kubelet.behaviour = 'hold';
    withAgents(world);
    await world.clock.advance(31_000);
    const [held = ''] = inPhase(world, 'New');
    expect(world.upload(held)?.status?.message).toContain('waiting: 1 movement is being prepared');
    const body = { spec: { cancel: true } };
    await world.cluster.patch(dataUploadType, { namespace: 'velero', name: held }, { type: 'merge', body });
    await world.until(() => inPhase(world, 'Canceled').includes(held));
    expect(world.upload(held)?.status?.message).toMatch(
      /^the data upload was canceled; until then waiting: 1 movement is being prepared/,
    );
  });
});
