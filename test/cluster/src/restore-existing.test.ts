import {
  annotations,
  labels,
  persistentVolumeClaimType,
  persistentVolumeType,
  podType,
  volumeSnapshotType,
} from '@lateen/api-types';
import { deleteNamespace, dropRepositories, findLeftovers, type Inventory, takeInventory } from '@lateen/demo';
import { systemClock, systemRandom } from '@lateen/kernel';
import type { S3Store } from '@lateen/object-store-s3';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bucketOf } from './environment/bucket-of.ts';
import { type LateenUnderTest, lateenUnderTest } from './environment/provided-lateen.ts';
import { type JourneyTools, journeyTools } from './restore/journey-tools.ts';

/** An existing volume gets the data of a backup, through a real CSI driver: rejected, in full, partly, and rolled back. */
const suffix = systemRandom.suffix(5);
const namespace = `existing-${suffix}`;
const backup = `existing-${suffix}`;
const mark = `test=${suffix}`;
const full = `full-${suffix}`;
const within = () => systemClock.deadline(240_000);
const scaled = `${annotations.scaleWorkloads}=true`;

let lateen: LateenUnderTest;
let store: S3Store;
let before: Inventory;
let tools: JourneyTools;

/** Names and contents of all files, sorted. */
const files = () =>
  tools.inPod(namespace, 'cd /data && find . -type f ! -path "./lost+found/*" | sort | xargs head -v');
const write = (script: string) => tools.inPod(namespace, `cd /data && ${script} && sync`);

/** The objects of claim and volume, without their status. */
async function claimAndVolume() {
  const claim = await lateen.kube.get(persistentVolumeClaimType, { namespace, name: 'data' });
  const volume = await lateen.kube.get(persistentVolumeType, { name: claim.spec.volumeName ?? '' });
  return {
    claim: [claim.metadata.uid, claim.spec],
    volume: [volume.metadata.uid, volume.spec.claimRef?.uid, volume.spec.persistentVolumeReclaimPolicy],
  };
}
const podNames = async () =>
  (await lateen.kube.list(podType, { namespace })).items.map(({ metadata }) => metadata.name);
const keptSnapshots = async () =>
  (await lateen.kube.list(volumeSnapshotType, { namespace, labelSelector: labels.oldDataOf })).items;

describe.skipIf(process.env.LATEEN_TEST_KUBECONFIG !== undefined)('a restore into an existing volume', () => {
  beforeAll(async () => {
    lateen = await lateenUnderTest();
    store = bucketOf(lateen);
    tools = journeyTools(lateen, { namespace, mark });
    before = await takeInventory(lateen.kube, lateen.veleroNamespace, within());
    await tools.kubectl('create', 'namespace', namespace);
    await tools.apply('existing-volume.yaml');
    await tools.rollout(namespace);
    await write('mkdir tree && echo stored > content && echo stored > tree/lost && echo stored > same');
    await tools.backUp(backup, '--snapshot-move-data');
  });
  afterAll(async () => {
    await deleteNamespace(lateen.kube, namespace, systemClock, within());
    for (const noun of ['restore', 'backup']) await tools.cli(noun, 'delete', '-l', mark, '--confirm', '--wait');
    await dropRepositories({ kube: lateen.kube, bucket: store }, { ...lateen, namespace }, within());
    await store.close();
    await lateen.kube.close();
  });

  it('is rejected while a pod uses the claim, and changes nothing', async () => {
    await write('echo changed > content && echo new > extra && rm tree/lost');
    const [there, pods, contents] = [await claimAndVolume(), await podNames(), await files()];
    const name = `refused-${suffix}`;
    const words = ['--from-backup', backup, '--existing-volume-data-policy', 'full', '--labels', mark];
    const made = await tools.cli('restore', 'create', name, ...words, '--wait', '--exit-code');
    const described = await tools.cli('restore', 'describe', name, '--details');
    expect([made.exitCode, described.stdout]).toEqual([
      3,
      expect.stringContaining(`no data is restored into PVC ${namespace}/data: pod ${pods[0]} uses it`),
    ]);
    expect((await tools.theRestore(name)).status).toMatchObject({ phase: 'PartiallyFailed', errors: 1 });
    expect([await claimAndVolume(), await podNames(), await files()]).toEqual([there, pods, contents]);
    expect([await tools.downloadsOf(name), await keptSnapshots()]).toEqual([[], []]);
  });

  it('leaves the volume unchanged and the workload running when the old data cannot be snapshotted', async () => {
    const [there, contents] = [await claimAndVolume(), await files()];
    await tools.kubectl('annotate', 'pvc/data', 'velero.io/csi-volumesnapshot-class=none-such');
    const name = `unkept-${suffix}`;
    const words = ['--existing-volume-data-policy', 'full', '--annotations', scaled, '--labels', mark];
    const made = await tools.cli('restore', 'create', name, '--from-backup', backup, ...words, '--wait', '--exit-code');
    await tools.kubectl('annotate', 'pvc/data', 'velero.io/csi-volumesnapshot-class-');
    expect([made.exitCode, (await tools.theRestore(name)).status?.phase]).toEqual([3, 'PartiallyFailed']);
    await tools.rollout(namespace);
    expect([await claimAndVolume(), await files()]).toEqual([there, contents]);
    expect([await podNames(), await tools.downloadsOf(name), await keptSnapshots()]).toEqual([
      [expect.anything()],
      [],
      [],
    ]);
  });

  it('makes the volume equal to the backup, with the workload scaled down, and keeps the old data in a snapshot', async () => {
    const there = await claimAndVolume();
    const policy = ['--existing-volume-data-policy', 'full', '--delete-extra-files', '--annotations', scaled];
    const status = await tools.restore(full, '--from-backup', backup, ...policy);
    // The difference that the restore itself makes, replicas and labels, is not reported.
    expect([status.phase, status.warnings ?? 0, status.restoreItemOperationsCompleted]).toEqual(['Completed', 0, 1]);
    await tools.rollout(namespace);
    expect(await files()).toBe('==> ./content <==\nstored\n\n==> ./same <==\nstored\n\n==> ./tree/lost <==\nstored');
    expect(await claimAndVolume()).toEqual(there);
    expect(await podNames()).toHaveLength(1);
    expect(await keptSnapshots()).toHaveLength(1);
  });

  it('with policy incremental writes only what differs in size or time, and keeps additional files', async () => {
    const there = await claimAndVolume();
    // With the size and time of the backup: its content is not compared.
    await write('touch -r same stamp && echo sto-ed > same && touch -r stamp same && rm stamp');
    await write('echo longer than it was > content && echo new > extra');
    const words = ['--existing-volume-data-policy', 'incremental', '--annotations'];
    const how = `${scaled},${annotations.keepOldData}=false`;
    const status = await tools.restore(`part-${suffix}`, '--from-backup', backup, ...words, how);
    expect(status.phase).toBe('Completed');
    await tools.rollout(namespace);
    expect(await write('cat content same extra tree/lost')).toBe('stored\nsto-ed\nnew\nstored');
    expect(await claimAndVolume()).toEqual(there);
    expect(await keptSnapshots()).toHaveLength(1);
  });

  it('can be rolled back to the old data when no pod uses the volume', async () => {
    const there = await claimAndVolume();
    const refused = await tools.cli('restore', 'rollback', full, '--confirm');
    expect(refused).toMatchObject({
      exitCode: 1,
      stderr: expect.stringContaining(`PVC ${namespace}/data is used by pod`),
    });
    expect(await claimAndVolume()).toEqual(there);
    await tools.kubectl('scale', 'deployment/app', '--replicas=0');
    await tools.kubectl('wait', '--for=delete', 'pod', '-l', 'app=app', '--timeout=60s');
    const rolledBack = await tools.cli('restore', 'rollback', full, '--confirm');
    expect(rolledBack).toMatchObject({ exitCode: 0, stderr: '', stdout: expect.stringMatching(/is rolled back\.$/) });
    await tools.kubectl('scale', 'deployment/app', '--replicas=1');
    await tools.rollout(namespace);
    expect(await files()).toBe('==> ./content <==\nchanged\n\n==> ./extra <==\nnew\n\n==> ./same <==\nstored');
  });

  it('leaves nothing of its work in the cluster', async () => {
    const deleted = await tools.cli('restore', 'delete', '-l', mark, '--confirm', '--wait');
    expect([deleted.exitCode, deleted.stderr]).toEqual([0, '']);
    const kept = ['volumesnapshots', '-l', labels.oldDataOf];
    await tools.kubectl('wait', '--for=delete', ...kept, '--timeout=60s');
    await deleteNamespace(lateen.kube, namespace, systemClock, within());
    const ports = { kube: lateen.kube, clock: systemClock, veleroNamespace: lateen.veleroNamespace };
    expect(await findLeftovers(before, ports, within())).toEqual([]);
  });
});
