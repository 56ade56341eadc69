import { backupStorageLocationType, type PersistentVolume, persistentVolumeType } from '@lateen/api-types';
import {
  deleteNamespace,
  dropRepositories,
  emptyPrefix,
  findLeftovers,
  type Inventory,
  takeInventory,
} from '@lateen/demo';
import { systemClock, systemRandom } from '@lateen/kernel';
import type { S3Store } from '@lateen/object-store-s3';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bucketOf } from './environment/bucket-of.ts';
import { withSettings } from './environment/node-agent-settings.ts';
import { type LateenUnderTest, lateenUnderTest } from './environment/provided-lateen.ts';
import { oddContents } from './pod-volume-faults/content.ts';
import { createSlowLocation, type FaultPlace, faultPlace, slowPrefix } from './pod-volume-faults/fault-place.ts';
import { hangInHooks } from './pod-volume-faults/hanging-hooks.ts';
import { notEmpty, tooSmall } from './pod-volume-faults/targets.ts';
import { leaveWhileRead } from './pod-volume-faults/while-moved.ts';
import { moveByWrongSettings, wrongSettings } from './pod-volume-faults/wrong-settings.ts';

/*
 * Faults of volumes of running pods on a real cluster, with the installed controller and node-agent. Each fault runs in its own namespace
 * ("lane"), in parallel; each test looks at the result of one of them.
 */
const suffix = systemRandom.suffix(5);
const mark = `test=${suffix}`;
const slow = `slow-${suffix}`;
const classOnNode = `on-node-${suffix}`;
const namespaceOf = (lane: string) => `pv-faults-${lane}-${suffix}`;
const nameOf = (lane: string) => `${lane}-${suffix}`;
const within = () => systemClock.deadline(240_000);

let lateen: LateenUnderTest;
let store: S3Store;
let before: Inventory;
const begins: (() => Promise<unknown>)[] = [];
const lanes: string[] = [];

/** Registers a fault; the returned function waits for its result. */
function lane<R>(name: string, run: (place: FaultPlace, name: string) => Promise<R>): () => Promise<R> {
  const { promise, resolve } = Promise.withResolvers<R>();
  promise.catch(() => {});
  lanes.push(name);
  begins.push(() => {
    resolve(run(faultPlace(lateen, { namespace: namespaceOf(name), mark }), nameOf(name)));
    return promise;
  });
  return () => promise;
}

const read = lane('read', (place, name) => leaveWhileRead(place, { name, location: slow }));
const contents = lane('contents', (place, name) => oddContents(place, { name, classOnNode }));
const small = lane('small', (place, name) => tooSmall(place, { name }));
const existing = lane('existing', (place, name) => notEmpty(place, { name }));
const hooks = lane('hooks', (place, name) => hangInHooks(place, { name }));
const sideBySide = begins.length;
const wrong = lane('wrong', (place, name) => moveByWrongSettings(place, { name }));

/** Runs the lanes in parallel, and afterwards the one whose settings affect all pods. */
async function runLanes(): Promise<void> {
  const { kube, veleroNamespace } = lateen;
  const many = { settings: { loadConcurrency: { globalConfig: 12 } }, repositories: {} };
  {
    await using _ = await withSettings(kube, veleroNamespace, many);
    await Promise.allSettled(begins.slice(0, sideBySide).map((begin) => begin()));
  }
  await using _ = await withSettings(kube, veleroNamespace, { settings: wrongSettings, repositories: {} });
  await Promise.allSettled(begins.slice(sideBySide).map((begin) => begin()));
}
let running = Promise.resolve();

/** Two volumes, because the volume of a deleted claim is not released for another claim. */
const volumesOnNode = [1, 2].map(
  (number): PersistentVolume => ({
    apiVersion: 'v1',
    kind: 'PersistentVolume',
    metadata: { name: `${classOnNode}-${number}` },
    spec: {
      capacity: { storage: '64Mi' },
      accessModes: ['ReadWriteOnce'],
      storageClassName: classOnNode,
      persistentVolumeReclaimPolicy: 'Retain',
      hostPath: { path: `/var/lib/${classOnNode}/${number}`, type: 'DirectoryOrCreate' },
    },
  }),
);

describe.skipIf(process.env.LATEEN_TEST_KUBECONFIG !== undefined)('volumes of pods on a real cluster', () => {
  beforeAll(async () => {
    lateen = await lateenUnderTest();
    store = bucketOf(lateen);
    for (const volume of volumesOnNode) await lateen.kube.create(persistentVolumeType, volume);
    before = await takeInventory(lateen.kube, lateen.veleroNamespace, within());
    await createSlowLocation(lateen, slow);
    running = runLanes();
    running.catch(() => {});
  });
  afterAll(async () => {
    await running.catch(() => {});
    const { kube, veleroNamespace } = lateen;
    for (const each of lanes) await deleteNamespace(kube, namespaceOf(each), systemClock, within());
    const { tools } = faultPlace(lateen, { namespace: 'default', mark });
    for (const noun of ['restore', 'backup']) await tools.cli(noun, 'delete', '-l', mark, '--confirm', '--wait');
    for (const each of lanes)
      await dropRepositories({ kube, bucket: store }, { veleroNamespace, namespace: namespaceOf(each) }, within());
    await kube.delete(backupStorageLocationType, { namespace: veleroNamespace, name: slow });
    await emptyPrefix(store, slowPrefix(slow), within());
    for (const { metadata } of volumesOnNode) await kube.delete(persistentVolumeType, { name: metadata.name ?? '' });
    await store.close();
    await kube.close();
  });

  const ofNextPod = 'Start a new backup when the pod, or the one in its place, runs.';
  it.each([
    ['is deleted', 'gone', `pod ${namespaceOf('read')}/gone does not exist any more. ${ofNextPod}`],
    [
      'its controller replaces',
      'replaced',
      `pod ${namespaceOf('read')}/replaced-0 is being deleted, and its volumes with it. ${ofNextPod}`,
    ],
    [
      'is drained from its node',
      'drained',
      `pod ${namespaceOf('read')}/drained is being deleted, and its volumes with it. ${ofNextPod}`,
    ],
  ] as const)('of a pod that %s fail while they are read, with the reason', async (_, pod, message) => {
    const { described, status, ...ends } = await read();
    expect(ends[pod]).toMatchObject({ phase: 'Failed', message });
    expect(described).toContain(message);
    expect(status?.phase).toBe('PartiallyFailed');
  });

  it('of a pod whose container restarts are read to the end', async () => {
    expect((await read()).afterRestart).toBe('InProgress');
  });

  it('that are not read in time are canceled, and their pod is thawed', async () => {
    const { restarted, hooks: told, described } = await read();
    expect(restarted?.phase).toBe('Canceled');
    expect(told).toBe('frozen\nthawed');
    expect(described).toContain('timed out waiting for all PodVolumeBackups to complete');
  });

  it('are restored with names of no encoding, by two restores at the same time', async () => {
    const { ends, before: was, after } = await contents();
    expect(ends.names?.phase).toBe('Completed');
    expect(after).toEqual(was);
  });

  it('that deny root fail, and the error says what such file systems need', async () => {
    const { backup, ends, described } = await contents();
    expect(backup?.phase).toBe('PartiallyFailed');
    expect(ends.closed).toMatchObject({
      phase: 'Failed',
      message: expect.stringMatching(/closed.*permission denied.*no_root_squash.*allow_other/is),
    });
    expect(described).toContain('allow_other');
  });

  it('that no container mounts are skipped with a warning', async () => {
    const { logs, ends } = await contents();
    expect(Object.keys(ends).toSorted()).toEqual(['closed', 'names', 'on-node']);
    expect(logs).toMatch(/aside.*no container of the pod mounts it/);
  });

  it('on a claim of a hostPath volume are backed up without a hostPath in the mover', async () => {
    const { ends, onNode } = await contents();
    expect([ends['on-node']?.phase, onNode]).toEqual(['Completed', 'kept']);
  });

  it('without enough room report that, and their pod waits until it is told to start', async () => {
    const { made, status, ends, event, waiting, described } = await small();
    expect([made?.phase, status?.phase]).toEqual(['Completed', 'PartiallyFailed']);
    const full = expect.stringContaining('the volume is full');
    expect(ends.toSorted()).toEqual([
      ['goes', 'Failed', full],
      ['stays', 'Failed', full],
    ]);
    expect(event).toMatch(/lateen\.dev\/start-without-data=true\. Volumes: data \([^)]*the volume is full[^)]*\)$/);
    expect(waiting?.phase).toBe('Pending');
    expect(described).toContain('the volume is full');
  });

  it("that are not empty keep their data, or get the backup's by the policy of the restore", async () => {
    const { kept, incremental, full } = await existing();
    expect([kept, incremental, full].map(({ phase, errors }) => [phase, errors])).toEqual(
      Array.from({ length: 3 }, () => ['Completed', 0]),
    );
    expect([kept.warnings, kept.files]).toEqual([1, 'content=changed by hand\nextra=more\nsame=stored']);
    expect(incremental.files).toBe('content=stored\nextra=more\nlost=stored\nsame=stored');
    expect(full.files).toBe('content=stored\nlost=stored\nsame=stored');
  });

  it('of pods whose hooks hang are read or skipped as the hooks say, in time', async () => {
    const { status, ends, thawed, logs } = await hooks();
    expect(ends).toEqual([
      ['frozen-or-not', 'Completed', ''],
      ['never-thawed', 'Completed', ''],
    ]);
    expect(status).toMatchObject({ phase: 'PartiallyFailed', hookStatus: { hooksFailed: 3 } });
    expect(logs).toContain('timed out after 4s');
    expect(thawed).toContain('thawed');
  });

  it('whose data mover runs out of memory report that, and what to do', async () => {
    const { killed } = await wrong();
    expect(killed).toEqual({ exitCode: 1, said: expect.stringMatching(/OOMKilled.*podResources/s) });
  });

  it('that are not below the configured directory of the kubelet report that while they wait and at the end', async () => {
    const { waiting, ends, described } = await wrong();
    for (const text of [waiting, ends['not-found']?.message, described])
      expect(text).toMatch(/hostPath type check failed.*set podVolume\.kubeletDirectory/s);
  });

  it('leave no pod, claim or volume behind after any fault', async () => {
    await running;
    await Promise.all(lanes.map((each) => deleteNamespace(lateen.kube, namespaceOf(each), systemClock, within())));
    const { tools } = faultPlace(lateen, { namespace: 'default', mark });
    for (const noun of ['restore', 'backup']) await tools.cli(noun, 'delete', '-l', mark, '--confirm', '--wait');
    expect(await findLeftovers(before, { ...lateen, clock: systemClock }, within())).toEqual([]);
  });
});
