import { dataUploadType, podType, volumeSnapshotContentType, volumeSnapshotType } from '@lateen/api-types';
import { kubeError } from '@lateen/kube';
import { aDaemonSet, aDataUpload, aPod } from '@lateen/testing';
import { describe, expect, it } from 'vitest';
import { uploadWorld } from '../world/movement-worlds.ts';
import { leftovers } from '../world/nothing-left.ts';
import { untilConcluded, withAgents } from '../world/run-world.ts';
import { movedBytes } from '../world/scripted-engine.ts';

const source = { volumes: ['handle-pv-data'] };
const minutes = 60_000;

describe('an upload for which something is missing fails immediately and names it', () => {
  const rows: [string, Parameters<typeof uploadWorld>, string[]][] = [
    [
      'the snapshot',
      [{ without: ['VolumeSnapshot/snapshot'] }],
      ['error exposing snapshot', 'VolumeSnapshot app/snapshot does not exist'],
    ],
    [
      'the snapshot\u2019s content',
      [{ without: ['VolumeSnapshotContent/content'] }],
      ['VolumeSnapshotContent content'],
    ],
    ['the storage class', [{ without: ['StorageClass/lateen'] }], ['storage class "lateen" does not exist']],
    [
      'the location',
      [{ without: ['BackupStorageLocation/default'] }],
      ['BackupStorageLocation velero/default does not exist'],
    ],
    ['the DaemonSet', [{ without: ['DaemonSet/node-agent'] }], ['DaemonSet velero/node-agent does not exist']],
    ['csiSnapshot', [{}, aDataUpload({ spec: { csiSnapshot: null } })], ['csiSnapshot']],
    ['a readable time limit', [{}, aDataUpload({ spec: { operationTimeout: 'soon' } })], ['operationTimeout "soon"']],
    [
      'an engine that there is',
      [{}, aDataUpload({ spec: { dataMoverConfig: { UploaderType: 'rsync' } } })],
      ['dataMoverConfig.UploaderType "rsync"', 'kopia (the default) or restic'],
    ],
    [
      'a splitter that there is',
      [{}, aDataUpload({ spec: { dataMoverConfig: { splitter: 'FIXED-3M' } } })],
      ['dataMoverConfig.splitter "FIXED-3M"', 'FIXED-2M, FIXED-4M'],
    ],
    [
      'an engine that lets one choose the splitter',
      [{}, aDataUpload({ spec: { dataMoverConfig: { UploaderType: 'restic', splitter: 'FIXED-4M' } } })],
      ['dataMoverConfig.splitter "FIXED-4M" is not supported by restic', 'UploaderType kopia'],
    ],
  ];
  it.each(rows)('%s', async (_, [options, upload], texts) => {
    const world = withAgents(uploadWorld(options, upload));
    await world.rest();
    expect(world.upload()?.status?.phase).toBe('Failed');
    for (const text of texts) expect(world.upload()?.status?.message).toContain(text);
    // The next step follows the cause as a sentence of its own.
    expect(world.upload()?.status?.message).toMatch(/\w\. [A-Z]/);
    await untilConcluded(world);
    const keptData = leftovers(world, { ...source, snapshots: ['snapshot-handle'] });
    expect(
      keptData.filter((each) => !each.startsWith('content content') && !each.startsWith('snapshot snapshot')),
    ).toEqual([]);
  });
  it('a template with two containers', async () => {
    const daemonSet = aDaemonSet();
    daemonSet.spec.template.spec.containers.push({ name: 'sidecar' });
    const world = withAgents(uploadWorld({ without: ['DaemonSet/node-agent'], extra: [daemonSet] }));
    await world.rest();
    expect(world.upload()?.status?.message).toContain('has 2 containers');
  });
});

describe('an upload whose pod cannot run', () => {
  it('fails as soon as the image is found to be missing, and removes everything', async () => {
    const world = uploadWorld();
    world.kubelet.behaviour = 'imageMissing';
    withAgents(world);
    await world.rest();
    expect(world.upload()?.status?.phase).toBe('Failed');
    expect(world.upload()?.status?.message).toContain('ErrImageNeverPull');
    expect(world.upload()?.status?.message).toContain('localhost/lateen:dev');
    await untilConcluded(world);
    expect(leftovers(world, source)).toEqual([]);
  });
  it.each([
    ['no node fits', 'unschedulable' as const, false, '0/1 nodes are available'],
    ['no volume is made', 'run' as const, true, 'PersistentVolumeClaim velero/upload has no volume yet'],
  ])('because %s: times out after 30 minutes with the cause', async (_, behaviour, holdVolumes, cause) => {
    const world = uploadWorld({ bindingMode: 'WaitForFirstConsumer' });
    world.kubelet.behaviour = behaviour;
    world.storage.holdVolumes = holdVolumes;
    withAgents(world);
    await world.clock.advance(29 * minutes);
    expect(world.upload()?.status?.phase).toBe('Accepted');
    await world.clock.advance(2 * minutes);
    expect(world.upload()?.status?.phase).toBe('Failed');
    expect(world.upload()?.status?.message).toMatch(/^timeout on preparing data upload: /);
    if (behaviour === 'run') expect(world.upload()?.status?.message).toContain(cause);
    await untilConcluded(world);
    expect(leftovers(world, source)).toEqual([]);
  });
  it('because another pod has its name: fails, and leaves that pod alone', async () => {
    const foreign = aPod({ name: 'upload', labels: { app: 'other' } });
    const world = withAgents(uploadWorld({ extra: [foreign] }));
    await world.rest();
    expect(world.upload()?.status?.message).toContain(
      'Pod velero/upload exists and does not belong to this DataUpload',
    );
    await untilConcluded(world);
    expect(world.cluster.find(podType, { namespace: 'velero', name: 'upload' })).toBeDefined();
    world.cluster.remove(podType, { namespace: 'velero', name: 'upload' });
    expect(leftovers(world, source)).toEqual([]);
  });
});

describe('an upload whose mover fails', () => {
  it.each([
    ['fail' as const, 'data path backup failed: Failed to run data path service for DataUpload upload: no such bucket'],
    ['failBeforeStart' as const, 'volume /uid is not mounted'],
  ])('%s: its error is in status, and nothing is left', async (script, text) => {
    const world = uploadWorld();
    world.mover.script = script;
    withAgents(world);
    await untilConcluded(world);
    expect(world.upload()?.status?.phase).toBe('Failed');
    expect(world.upload()?.status?.message).toContain(text);
    expect(leftovers(world, source)).toEqual([]);
    expect(world.logs.torn).toEqual([]);
  });
});

describe('an upload whose mover reports Completed before its pod has ended', () => {
  const pod = { namespace: 'velero', name: 'upload' };
  const contradicted = async () => {
    const world = uploadWorld();
    world.mover.script = 'completeAndStay';
    withAgents(world);
    await world.until(() => world.upload()?.status?.phase === 'Completed');
    return world;
  };
  it('says in an Event and in its message when the pod then fails, and stays Completed', async () => {
    const world = await contradicted();
    expect(world.upload()?.status?.message).toBeUndefined();
    world.cluster.setPodPhase(pod, 'Failed', { terminationMessage: 'segmentation fault' });
    await untilConcluded(world);
    const text =
      'the mover reported that the backup is complete, but the end of its pod says otherwise: segmentation fault (after it had reported completion). Restore from it once before you rely on it, or back up again.';
    expect(world.upload()?.status).toMatchObject({ phase: 'Completed', message: text });
    expect(world.told).toEqual([`DataUpload/upload Data-Movement-Contradicted: ${text}`]);
    expect(world.phases.get('DataUpload/upload')?.at(-1)).toBe('Completed');
    expect(leftovers(world, source)).toEqual([]);
  });
  it('says so also when the API server is not reachable at that moment', async () => {
    const world = await contradicted();
    world.cluster.failTimes(3, 'patch', ({ type }) => type === dataUploadType, 'KUBE_UNAVAILABLE');
    world.cluster.setPodPhase(pod, 'Failed', { exitCode: 137, containerReason: 'OOMKilled' });
    await untilConcluded(world, undefined, 3 * minutes);
    expect(world.upload()?.status).toMatchObject({ phase: 'Completed', message: expect.stringContaining('OOMKilled') });
    expect(leftovers(world, source)).toEqual([]);
  });
  it('says nothing when the pod succeeds', async () => {
    const world = await contradicted();
    const { snapshotID = '' } = world.upload()?.status ?? {};
    const result = {
      snapshotID,
      emptySnapshot: false,
      source: { byPath: '/x', volumeMode: 'Filesystem' },
      ...movedBytes,
    };
    world.cluster.setPodPhase(pod, 'Succeeded', { terminationMessage: JSON.stringify(result) });
    await untilConcluded(world);
    expect(world.upload()?.status?.message).toBeUndefined();
    expect(world.told).toEqual([]);
  });
});

describe('an ended upload that cannot be cleaned up because a deletion is rejected', () => {
  it('deletes everything else, reports the cause, and loses its finalizer when the deletion is allowed', async () => {
    const world = uploadWorld();
    world.mover.script = 'fail';
    const webhook = 'admission webhook "keep.example" denied the request';
    const mend = world.cluster.intercept(async (call, next) => {
      if (call.verb === 'delete' && call.type === podType) throw kubeError('KUBE_FORBIDDEN', webhook);
      return await next();
    });
    withAgents(world);
    await world.rest();
    await world.clock.advance(5 * minutes);
    await world.rest();
    const [told, ...more] = world.told.filter((each) => each.includes('Data-Movement-Clean-Up-Incomplete'));
    expect(told).toContain('DataUpload/upload');
    expect(told).toContain('the hosting pod: admission webhook "keep.example" denied the request. Do what');
    // Retries are rare, and the message stays the same.
    expect(more.length).toBeLessThan(10);
    expect(new Set([told, ...more]).size).toBe(1);
    // The pod keeps its claim and volume; the snapshots are gone.
    const kept = leftovers(world, source);
    expect(kept).toContain('pod upload');
    expect(kept).toContain('finalizer of upload');
    expect(kept.filter((each) => /snapshot|content/.test(each))).toEqual([]);
    mend();
    await untilConcluded(world, undefined, 10 * minutes);
    expect(leftovers(world, source)).toEqual([]);
  });
});

describe('an API server that fails temporarily', () => {
  const calls = [
    ['create', volumeSnapshotContentType],
    ['create', volumeSnapshotType],
    ['create', podType],
    ['patch', volumeSnapshotContentType],
    ['delete', volumeSnapshotType],
    ['get', volumeSnapshotContentType],
  ] as const;
  it.each(calls)('%s of $resource fails three times: the upload completes', async (verb, type) => {
    const world = uploadWorld();
    world.cluster.failTimes(3, verb, type, 'KUBE_UNAVAILABLE');
    withAgents(world);
    await untilConcluded(world, undefined, 10 * minutes);
    expect(world.upload()?.status?.phase).toBe('Completed');
    expect(leftovers(world, source)).toEqual([]);
  });
  it.each([1, 2, 3, 4, 5, 6])('write number %i of the upload itself fails: it completes', async (which) => {
    const world = uploadWorld();
    let seen = 0;
    world.cluster.failOnce(
      'patch',
      (call) => call.type.resource === 'datauploads' && ++seen === which,
      'KUBE_UNAVAILABLE',
    );
    withAgents(world);
    await untilConcluded(world, undefined, 10 * minutes);
    expect(world.upload()?.status?.phase).toBe('Completed');
    expect(leftovers(world, source)).toEqual([]);
  });
  it('a failure that could not be written at first is written later', async () => {
    const world = uploadWorld({ without: ['StorageClass/lateen'] });
    let patches = 0;
    world.cluster.failTimes(
      2,
      'patch',
      (call) => call.type.resource === 'datauploads' && ++patches > 1,
      'KUBE_UNAVAILABLE',
    );
    withAgents(world);
    await untilConcluded(world, undefined, 5 * minutes);
    expect(world.upload()?.status?.phase).toBe('Failed');
    expect(world.upload()?.status?.message).toContain('storage class "lateen"');
  });
});
