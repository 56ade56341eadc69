import type { LonghornNode, LonghornNodeStatus } from '@lateen/storage-types';
import { describe, expect, it } from 'vitest';
import { readSettings } from '../settings/read-settings.ts';
import { aReplica } from '../volume/example-volume.ts';
import { decideNode } from './decide-node.ts';
import { aDiskSpec, aFoundDisk, aHost, aKubernetesNode, aLonghornNode } from './example-node.ts';
import { nodeFacts } from './node-facts.ts';
import type { NodeSeen } from './node-seen.ts';

const t0 = Date.parse('2026-03-01T00:00:00Z');
const settingsOf = (values: Record<string, string> = {}) =>
  readSettings(
    Object.entries(values).map(([name, value]) => ({
      apiVersion: 'longhorn.io/v1beta2',
      kind: 'Setting',
      metadata: { name },
      value,
    })),
  ).settings;
const seen = (parts: Partial<NodeSeen> = {}): NodeSeen => ({
  node: aLonghornNode({ a: aDiskSpec('/mnt/a') }),
  kubernetesNode: aKubernetesNode(),
  managerIsUp: 'yes',
  host: aHost({ disks: [aFoundDisk('/mnt/a')] }),
  instanceManager: 'im',
  replicas: [],
  settings: settingsOf(),
  freshUuid: (disk) => `fresh-${disk}`,
  ...parts,
});
const conditions = (status: LonghornNodeStatus) =>
  Object.fromEntries(
    (status.conditions ?? []).map(({ type, status: is, reason }) => [type, reason === '' ? is : `${is} ${reason}`]),
  );
const withStatus = (node: LonghornNode, status: LonghornNodeStatus): LonghornNode => ({ ...node, status });

describe('a node', () => {
  it('is ready in its zone, and repeats the same decision without an Event', () => {
    const labels = { 'topology.kubernetes.io/zone': 'z', 'topology.kubernetes.io/region': 'r' };
    const facts = seen({ kubernetesNode: aKubernetesNode({ metadata: { labels } }) });
    const { status, effects, events, again } = decideNode(facts, t0);
    expect(conditions(status)).toEqual({ Ready: 'True', Schedulable: 'True' });
    expect(status).toMatchObject({ zone: 'z', region: 'r', autoEvicting: false });
    expect(status.diskStatus?.a).toMatchObject({ diskUUID: 'uuid-of-/mnt/a', diskName: 'a' });
    expect(effects).toEqual([]);
    expect(events.map(({ type }) => type)).toEqual(['Normal']);
    expect(again?.afterMs).toBe(30_000);
    const next = decideNode({ ...facts, node: withStatus(facts.node, status) }, t0 + 60_000);
    expect(next).toMatchObject({ status, effects: [], events: [] });
    const gone = decideNode({ ...facts, node: withStatus(facts.node, status), kubernetesNode: undefined }, t0);
    expect(gone.status).toMatchObject({ zone: 'z', region: 'r' });
  });

  it.each<[Partial<NodeSeen>, Record<string, string>]>([
    [{ kubernetesNode: undefined }, { Ready: 'False KubernetesNodeGone' }],
    [
      { kubernetesNode: aKubernetesNode({ conditions: { Ready: 'Unknown' } }) },
      { Ready: 'False KubernetesNodeNotReady' },
    ],
    [{ managerIsUp: 'no' }, { Ready: 'False ManagerPodDown' }],
    [{ managerIsUp: 'unknown' }, { Ready: 'Unknown ManagerNotKnown' }],
    [{ kubernetesNode: aKubernetesNode({ unschedulable: true }) }, { Schedulable: 'False KubernetesNodeCordoned' }],
    [
      {
        kubernetesNode: aKubernetesNode({ unschedulable: true }),
        settings: settingsOf({ 'disable-scheduling-on-cordoned-node': 'false' }),
      },
      { Schedulable: 'True' },
    ],
    [
      { kubernetesNode: aKubernetesNode({ conditions: { DiskPressure: 'True' } }) },
      { Ready: 'True', Schedulable: 'False KubernetesNodePressure' },
    ],
  ])('conditions of case %#', (parts, expected) => {
    expect(conditions(decideNode(seen(parts), t0).status)).toMatchObject(expected);
  });

  it('keeps its last report while the state of its manager is unknown, and warns once when the manager is down', () => {
    const facts = seen();
    const { status } = decideNode(facts, t0);
    const node = withStatus(facts.node, status);
    expect(decideNode(seen({ node, managerIsUp: 'unknown' }), t0 + 1).status.conditions).toEqual(status.conditions);
    const down = decideNode(seen({ node, managerIsUp: 'no' }), t0 + 1_000);
    expect(down.events.map(({ reason }) => reason)).toEqual(['ManagerPodDown', 'NodeNotReady']);
    expect(down.status.diskStatus?.a?.conditions?.[0]).toMatchObject({ type: 'Ready', status: 'False' });
    const still = decideNode(seen({ node: withStatus(node, down.status), managerIsUp: 'no' }), t0 + 2_000);
    expect(still.events).toEqual([]);
  });

  it('reports what its instance manager found missing, and keeps the last report while the instance manager does not answer', () => {
    const probes = [
      { name: 'packages', ok: false, message: 'Missing packages: [qemu-utils]', nextStep: 'install them' },
      { name: 'mount-propagation', ok: true, message: '' },
      { name: 'constructor', ok: false, message: 'is no probe' },
    ];
    const { status } = decideNode(seen({ host: aHost({ probes }) }), t0);
    expect(conditions(status)).toMatchObject({
      RequiredPackages: 'False PackagesNotInstalled',
      MountPropagation: 'True',
    });
    expect(status.conditions).toHaveLength(4);
    expect(status.conditions?.find(({ type }) => type === 'RequiredPackages')?.message).toBe(
      'Missing packages: [qemu-utils]; install them',
    );
    const later = decideNode(seen({ node: withStatus(seen().node, status), host: undefined }), t0);
    expect(conditions(later.status).RequiredPackages).toBe('False PackagesNotInstalled');
  });

  it('gives a new disk an identity, refuses a second disk on the same file system, and forgets a removed disk', () => {
    const node = aLonghornNode(
      { a: aDiskSpec('/mnt/a'), b: aDiskSpec('/mnt/b') },
      { diskStatus: { gone: { diskUUID: 'x' } } },
    );
    const disks = ['/mnt/a', '/mnt/b'].map((path) => aFoundDisk(path, { uuid: undefined, filesystemId: 'f' }));
    const { status, effects } = decideNode(seen({ node, host: aHost({ disks }) }), t0);
    expect(effects).toEqual([{ do: 'register-disk', disk: 'a', path: '/mnt/a', uuid: 'fresh-a' }]);
    expect(Object.keys(status.diskStatus ?? {})).toEqual(['a', 'b']);
    expect(status.diskStatus?.b?.conditions?.[0]?.reason).toBe('DiskFilesystemChanged');
  });

  it.each<[string, boolean, boolean]>([
    ['block-for-eviction', true, true],
    ['block-for-eviction', false, false],
    ['block-for-eviction-if-contains-last-replica', true, false],
    ['block-if-contains-last-replica', true, false],
  ])('drain policy %s, cordoned %s: replica is evicted: %s', (policy, unschedulable, expected) => {
    const facts = seen({
      replicas: [aReplica('r1', 'n1'), aReplica('r2', 'n2')],
      kubernetesNode: aKubernetesNode({ unschedulable }),
      settings: settingsOf({ 'node-drain-policy': policy }),
    });
    expect(decideNode(facts, t0).status.autoEvicting).toBe(expected);
  });

  it('evicts the last replica of a volume: what failed elsewhere, or never had data, is none', () => {
    const settings = settingsOf({ 'node-drain-policy': 'block-for-eviction-if-contains-last-replica' });
    const kubernetesNode = aKubernetesNode({ unschedulable: true });
    const evicts = (...replicas: NodeSeen['replicas']) =>
      decideNode(seen({ settings, kubernetesNode, replicas }), t0).status.autoEvicting;
    const failedAt = '2026-02-28T23:00:00Z';
    expect(evicts(aReplica('r1', 'n1'), aReplica('r2', 'n2', { failedAt }))).toBe(true);
    expect(evicts(aReplica('r1', 'n1'), aReplica('r2', 'n1'))).toBe(true);
    expect(evicts(aReplica('r1', 'n1'), aReplica('r2', 'n2', { volumeName: 'other' }))).toBe(true);
    expect(evicts(aReplica('r1', 'n1', { healthyAt: '' }))).toBe(false);
  });

  it('reports when its snapshots were last checked', () => {
    const at = '2026-03-01T00:00:00Z';
    const { status } = decideNode(seen({ snapshotsCheckedAt: at }), t0);
    expect(status.snapshotCheckStatus).toEqual({ lastPeriodicCheckedAt: at });
    const node = withStatus(seen().node, status);
    expect(decideNode(seen({ node }), t0).status.snapshotCheckStatus).toEqual({ lastPeriodicCheckedAt: at });
  });
});

describe('as the scheduler sees it', () => {
  const instanceManager = (nodeID: string, image: string, currentState: 'running' | 'unknown') => ({
    apiVersion: 'longhorn.io/v1beta2',
    kind: 'InstanceManager',
    metadata: { name: `im-${image}` },
    spec: { nodeID, image },
    status: { currentState },
  });
  const instanceManagers = [
    instanceManager('n1', 'image', 'running'),
    instanceManager('n1', 'old', 'unknown'),
    instanceManager('n2', 'other', 'running'),
  ];
  const decided = () => withStatus(seen().node, decideNode(seen(), t0).status);
  const factsOf = (node: LonghornNode, parts = {}) =>
    nodeFacts({ node, kubernetesNode: aKubernetesNode(), managerIsUp: 'yes', instanceManagers, ...parts });

  it('a node that is well, with its disk and the images that run there', () => {
    const facts = factsOf(decided());
    expect(facts).toMatchObject({ name: 'n1', ready: true, schedulable: true, managerIsUp: true, cordoned: false });
    expect([...facts.engineImages]).toEqual(['image']);
    expect(facts.disks).toMatchObject([{ name: 'a', diskID: 'uuid-of-/mnt/a', path: '/mnt/a', schedulable: true }]);
  });

  it('counts unknown facts as unfit', () => {
    expect(factsOf(decided(), { kubernetesNode: undefined }).ready).toBe(false);
    expect(factsOf(decided(), { managerIsUp: 'unknown' }).managerIsUp).toBe(false);
    expect(factsOf(aLonghornNode({ a: aDiskSpec('/mnt/a') })).disks).toEqual([]);
    const node = decided();
    const moved = { ...node, spec: { ...node.spec, disks: { a: aDiskSpec('/mnt/elsewhere') } } };
    expect(factsOf(moved).disks[0]?.schedulable).toBe(false);
    const odd = { ...node, spec: { ...node.spec, disks: { a: aDiskSpec('/mnt/a', { storageReserved: -1 }) } } };
    expect(factsOf(odd).disks[0]?.schedulable).toBe(false);
    const leaving = withStatus(node, { ...node.status, autoEvicting: true });
    expect(factsOf(leaving)).toMatchObject({ evictionRequested: false, autoEvicting: true });
  });
});
