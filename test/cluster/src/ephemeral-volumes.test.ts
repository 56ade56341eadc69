import { type Pod, podType } from '@lateen/api-types';
import { deleteNamespace, dropRepositories, findLeftovers, type Inventory, takeInventory } from '@lateen/demo';
import { systemClock, systemRandom } from '@lateen/kernel';
import type { S3Store } from '@lateen/object-store-s3';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bucketOf } from './environment/bucket-of.ts';
import { type LateenUnderTest, lateenUnderTest } from './environment/provided-lateen.ts';
import { type JourneyTools, journeyTools } from './restore/journey-tools.ts';

/** Claims that Kubernetes creates for a pod are owned by it: the real controller, scheduler and kubelet reject others. */
const suffix = systemRandom.suffix(5);
const namespace = `ephemeral-${suffix}`;
const mark = `test=${suffix}`;
const within = () => systemClock.deadline(240_000);

let lateen: LateenUnderTest;
let store: S3Store;
let before: Inventory;
let tools: JourneyTools;

const look = 'cat /moved/file /read/file';

describe.skipIf(process.env.LATEEN_TEST_KUBECONFIG !== undefined)('ephemeral volumes of a pod', () => {
  beforeAll(async () => {
    lateen = await lateenUnderTest();
    store = bucketOf(lateen);
    tools = journeyTools(lateen, { namespace, mark });
    before = await takeInventory(lateen.kube, lateen.veleroNamespace, within());
    await tools.kubectl('create', 'namespace', namespace);
    await tools.apply('ephemeral.yaml');
    await tools.rollout(namespace);
    await tools.inPod(namespace, 'echo by snapshot > /moved/file; echo through the pod > /read/file; sync');
  });
  afterAll(async () => {
    await deleteNamespace(lateen.kube, namespace, systemClock, within());
    for (const noun of ['restore', 'backup']) await tools.cli(noun, 'delete', '-l', mark, '--confirm', '--wait');
    await dropRepositories({ kube: lateen.kube, bucket: store }, { ...lateen, namespace }, within());
    await store.close();
    await lateen.kube.close();
  });

  it('are restored with their data, by snapshot and through the pod, and their claims are owned by the pod', async () => {
    await tools.backUp(`ephemeral-${suffix}`, '--snapshot-move-data');
    await deleteNamespace(lateen.kube, namespace, systemClock, within());
    await tools.restore(`ephemeral-${suffix}`, '--from-backup', `ephemeral-${suffix}`);
    await tools.rollout(namespace);
    expect(await tools.inPod(namespace, look)).toBe('by snapshot\nthrough the pod');
    const { items: pods } = await lateen.kube.list<Pod>(podType, { namespace });
    const claims = JSON.parse(await tools.kubectl('get', 'persistentvolumeclaims', '-o', 'json')).items;
    const owners = claims.map(({ metadata }: Pod) => metadata.ownerReferences?.map(({ kind, uid }) => [kind, uid]));
    expect(owners).toEqual([[['Pod', pods[0]?.metadata.uid]], [['Pod', pods[0]?.metadata.uid]]]);
  });

  it('leave no pod, claim or volume behind', async () => {
    await deleteNamespace(lateen.kube, namespace, systemClock, within());
    expect(await findLeftovers(before, { ...lateen, clock: systemClock }, within())).toEqual([]);
  });
});
