import {
  type VolumeSnapshot,
  type VolumeSnapshotContent,
  volumeSnapshotContentType,
  volumeSnapshotType,
} from '@lateen/api-types';
import { keyOf } from '@lateen/kube';
import {
  aPersistentVolumeClaim,
  aVolumeSnapshotContent,
  FakeClock,
  fakeCluster,
  letTimePass,
  seededRandom,
} from '@lateen/testing';
import { describe, expect, it, onTestFinished } from 'vitest';
import { watchEach, watchTogether } from './snapshot-sight.ts';
import { takeSnapshot } from './take-snapshot.ts';

const label = { 'velero.io/backup-name': 'nightly' };
const claim = aPersistentVolumeClaim({ volumeName: 'pv-data', labels: { app: 'db' } });
const never = new AbortController().signal;

function world(sight: 'each' | 'together' = 'together') {
  const clock = new FakeClock();
  const kube = fakeCluster({ clock, objects: [claim] });
  const ports = { kube, clock, random: seededRandom() };
  const eyes = sight === 'each' ? watchEach(ports) : watchTogether(ports, 'velero.io/backup-name=nightly');
  const all = () => kube.all(volumeSnapshotType);
  return {
    clock,
    kube,
    all,
    take: (signal = never, failsAtOnce = false) =>
      takeSnapshot(
        { claim, snapshotClass: 'fast', labels: label, timeoutMs: 600_000, failsAtOnce },
        { ...ports, sight: eyes },
        signal,
      ),
    /** Simulates the snapshot controller. */
    bind: (snapshot = all()[0]) => {
      const name = `content-${snapshot?.metadata.name}`;
      kube.put(aVolumeSnapshotContent({ name, status: { snapshotHandle: '', readyToUse: false } }));
      change(snapshot, (status) => Object.assign(status, { boundVolumeSnapshotContentName: name, readyToUse: false }));
      return { name };
    },
    change,
    /** Simulates the csi-snapshotter. */
    changeContent: (key: { name: string }, status: object) =>
      kube.change<VolumeSnapshotContent>(volumeSnapshotContentType, key, (content) => {
        content.status = { ...content.status, ...status };
      }),
  };
  function change(snapshot: VolumeSnapshot | undefined, edit: (status: object) => void) {
    if (snapshot === undefined) throw new Error('there is no snapshot yet');
    kube.change<VolumeSnapshot>(volumeSnapshotType, keyOf(snapshot), (object) => {
      object.status ??= {};
      edit(object.status);
    });
  }
}

describe.each(['each', 'together'] as const)('taking a snapshot, watching %s', (sight) => {
  it('creates it beside the claim, and ends when the content has a handle', async () => {
    const { take, clock, all, bind, change, changeContent, kube } = world(sight);
    const taking = take();
    await clock.advance(1_000);
    expect(all()).toMatchObject([
      {
        metadata: { namespace: 'app', labels: { app: 'db', ...label } },
        spec: { volumeSnapshotClassName: 'fast', source: { persistentVolumeClaimName: 'data' } },
      },
    ]);
    expect(all()[0]?.metadata.name).toMatch(/^velero-data-.{5}$/);
    const content = bind();
    await clock.advance(1_000);
    changeContent(content, { snapshotHandle: 'snap-1' });
    change(all()[0], (status) => Object.assign(status, { creationTime: '2030-01-01T00:00:01Z' }));
    await expect(taking).resolves.toMatchObject({ handle: 'snap-1', snapshot: { status: { readyToUse: false } } });
    expect(all()).toHaveLength(1);
    await kube.settle();
    expect(kube.openWatches).toBe(0);
    expect(clock.pending).toBe(1);
  });

  it('polls the content when the status is not copied to the VolumeSnapshot', async () => {
    const { take, clock, bind, changeContent } = world(sight);
    const taking = take();
    await clock.advance(100);
    const content = bind();
    await clock.advance(100);
    changeContent(content, { snapshotHandle: 'snap-1' });
    await clock.advance(30_000);
    await expect(taking).resolves.toMatchObject({ handle: 'snap-1' });
  });

  it('continues after a temporary error of the driver', async () => {
    const { take, clock, bind, changeContent, change, all } = world(sight);
    const taking = take();
    await clock.advance(100);
    const content = bind();
    change(all()[0], (status) => Object.assign(status, { error: { message: 'Unavailable: busy' } }));
    await clock.advance(100);
    changeContent(content, { snapshotHandle: 'snap-1' });
    change(all()[0], (status) => Object.assign(status, { error: undefined, creationTime: '2030-01-01T00:00:01Z' }));
    await expect(taking).resolves.toMatchObject({ handle: 'snap-1' });
  });

  it('fails on the first error when configured so, and deletes the snapshot', async () => {
    const { take, clock, change, all } = world(sight);
    const taking = take(never, true);
    const outcome = expect(taking).rejects.toMatchObject({ code: 'SNAPSHOT_FAILED' });
    await clock.advance(100);
    change(all()[0], (status) => Object.assign(status, { error: { message: 'no such\nclass' } }));
    await outcome;
    await expect(taking).rejects.toThrow(/^VolumeSnapshot app\/velero-data-.{5}: no such class$/);
    expect(all()).toEqual([]);
  });

  it.each<[string, (w: ReturnType<typeof world>) => void, string, string]>([
    ['nobody has taken it up', () => {}, '', 'snapshot controller'],
    ['the driver is silent', ({ bind }) => void bind(), '', 'csi-snapshotter'],
    [
      'the driver has complained',
      ({ bind, changeContent }) => {
        changeContent(bind(), { error: { message: 'rpc error: ResourceExhausted: pool is full' } });
      },
      ': rpc error: ResourceExhausted: pool is full',
      'its log',
    ],
  ])('ends at its timeout when %s, with the reason, and deletes the snapshot', async (_title, act, words, nextStep) => {
    const tested = world(sight);
    const taking = tested.take();
    const message = `the snapshot of PersistentVolumeClaim app/data had no handle after 10m0s${words}`;
    const outcome = expect(taking).rejects.toMatchObject({
      code: 'SNAPSHOT_TIMEOUT',
      message,
      nextStep: expect.stringContaining(nextStep),
    });
    await tested.clock.advance(100);
    act(tested);
    await tested.clock.advance(599_800);
    expect(tested.all()).toHaveLength(1);
    await tested.clock.advance(100);
    await outcome;
    expect(tested.all()).toEqual([]);
  });

  it('ends when the snapshot is deleted', async () => {
    const { take, clock, kube, all } = world(sight);
    const outcome = expect(take()).rejects.toThrow('it was deleted while it was being taken');
    await clock.advance(100);
    kube.remove(volumeSnapshotType, keyOf(all()[0] as VolumeSnapshot));
    await outcome;
  });

  it('deletes the snapshot on abort', async () => {
    const { take, clock, kube, all } = world(sight);
    const broken = new AbortController();
    const outcome = expect(take(broken.signal)).rejects.toThrow('enough');
    await clock.advance(100);
    broken.abort(new Error('enough'));
    await outcome;
    expect(all()).toEqual([]);
    await kube.settle();
    expect(kube.openWatches).toBe(0);
  });

  it('reports what it could not delete', async () => {
    const { take, clock, kube } = world(sight);
    kube.failOnce('delete', volumeSnapshotType, 'KUBE_FORBIDDEN');
    const broken = new AbortController();
    const outcome = expect(take(broken.signal)).rejects.toMatchObject({
      code: 'SNAPSHOT_LEFT_BEHIND',
      nextStep: expect.stringMatching(/^Delete it with: kubectl delete volumesnapshot -n app velero-data-/),
    });
    await clock.advance(100);
    broken.abort();
    await outcome;
  });
});

describe('watching together', () => {
  it('makes one list and one watch for 200 parallel snapshots, and again after all have ended', async () => {
    const { take, clock, kube, all, bind, change, changeContent } = world();
    onTestFinished(() => kube.settle());
    for (const round of [1, 2]) {
      const taking = Array.from({ length: 200 }, () => take());
      await clock.advance(100);
      for (const snapshot of all().filter((each) => each.status === undefined)) {
        changeContent(bind(snapshot), { snapshotHandle: `handle-${snapshot.metadata.name}` });
        change(snapshot, (status) => Object.assign(status, { creationTime: '2030-01-01T00:00:01Z' }));
      }
      const taken = await letTimePass(Promise.all(taking), clock);
      expect(new Set(taken.map(({ handle }) => handle)).size).toBe(200);
      const looks = kube.calls.filter(({ verb }) => verb === 'list' || verb === 'watch');
      expect(looks).toHaveLength(2 * round);
      await kube.settle();
      expect(kube.openWatches).toBe(0);
    }
  });

  it('continues after a broken watch', async () => {
    const { take, clock, kube, all, bind, change, changeContent } = world();
    const taking = take();
    await clock.advance(100);
    kube.closeWatches({}).compact();
    changeContent(bind(), { snapshotHandle: 'snap-1' });
    change(all()[0], (status) => Object.assign(status, { creationTime: '2030-01-01T00:00:01Z' }));
    await clock.advance(5_000);
    await expect(taking).resolves.toMatchObject({ handle: 'snap-1' });
  });
});
