import type { KubeObject } from '@lateen/api-types';
import { storageAnnotations, type Volume } from '@lateen/storage-types';
import { FakeClock, fakeCluster, seededRandom } from '@lateen/testing';
import { describe, expect, it } from 'vitest';
import { aHealthyVolume, anAttachment, anEngine, aReplica, aStorageNode, aVolume } from '../example-storage.ts';
import { storageRunner } from '../run-storage.ts';

function setUp(...objects: readonly KubeObject[]) {
  const clock = new FakeClock('2030-01-02T00:00:00Z');
  // Of two objects with one name the later one is used.
  const named = new Map(objects.map((each) => [`${each.kind}/${each.metadata.name}`, each]));
  const kube = fakeCluster({ clock, objects: [...named.values()] });
  return storageRunner({ clock, random: seededRandom(), kube });
}

const failedAt = '2030-01-01T23:50:00Z';
const failed = (number: number, cause: string, spec = {}) =>
  aReplica(
    number,
    { failedAt, lastFailedAt: failedAt, healthyAt: '', desireState: 'stopped', ...spec },
    { [storageAnnotations.failureCause]: cause },
  );
const modes = (map: Record<string, 'RW' | 'WO' | 'ERR'>) => ({ replicaModeMap: map });
const down = (number: number) =>
  aStorageNode(
    number,
    {},
    {
      conditions: [
        {
          type: 'Ready',
          status: 'False',
          reason: 'KubernetesNodeNotReady',
          message: `Kubernetes node node-${number} not ready: Kubelet stopped posting node status.`,
        },
      ],
    },
  );
const degraded = aVolume({}, { robustness: 'degraded', lastDegradedAt: failedAt });
const detached = { state: 'detached', currentNodeID: '', robustness: 'unknown' } as const;
const stopped = { currentState: 'stopped', started: false, endpoint: '', replicaModeMap: {} } as const;
const api = { id: 'by-hand', type: 'longhorn-api', nodeID: 'node-2' } as const;
const csi = { id: 'csi-1', type: 'csi-attacher', nodeID: 'node-1' } as const;

const scheduled = (reason: string, message: string) => [
  { type: 'Scheduled', status: 'False', reason, message } as const,
];

const restore = (status: 'True' | 'False', reason: string, message: string) => ({
  type: 'Restore',
  status,
  reason,
  message,
});
const restored = (status: Volume['status'], spec: Volume['spec'] = {}) =>
  aVolume({ fromBackup: 's3://b@r/?backup=backup-1&volume=old', ...spec }, { restoreInitiated: true, ...status });

const states: Record<string, KubeObject[]> = {
  healthy: [],
  restoring: [
    restored({ restoreRequired: true, conditions: [restore('True', 'RestoreInProgress', '')] }),
    anEngine(
      {},
      { restoreStatus: { '10.0.0.1:10000': { isRestoring: true, currentRestoringBackup: 'backup-1', progress: 42 } } },
    ),
  ],
  'restore-failed': [
    restored({ restoreRequired: true, conditions: [restore('False', 'RestoreFailure', 'the bucket does not answer')] }),
  ],
  standby: [
    restored({ restoreRequired: true, isStandby: true }, { Standby: true, frontend: '' }),
    anEngine({}, { lastRestoredBackup: 'backup-1' }),
  ],
  'degraded-failed-replica': [
    degraded,
    anEngine(
      { replicaAddressMap: { 'vol-r-1': '10.0.0.1:10000', 'vol-r-2': '10.0.0.2:10000' } },
      modes({ 'vol-r-1': 'RW', 'vol-r-2': 'RW' }),
    ),
    failed(3, 'it did not answer within 8s'),
    down(3),
  ],
  'degraded-rebuilding': [
    degraded,
    anEngine(
      {},
      {
        ...modes({ 'vol-r-1': 'RW', 'vol-r-2': 'RW', 'vol-r-3': 'WO' }),
        rebuildStatus: { '10.0.0.3:10000': { isRebuilding: true, progress: 40, state: 'in_progress' } },
      },
    ),
    failed(3, 'it did not answer within 8s', { rebuildRetryCount: 1, desireState: 'running' }),
  ],
  'degraded-no-place': [
    aVolume(
      {},
      {
        robustness: 'degraded',
        lastDegradedAt: failedAt,
        conditions: scheduled('ReplicaSchedulingFailure', 'insufficient storage'),
      },
    ),
    anEngine(
      { replicaAddressMap: { 'vol-r-1': '10.0.0.1:10000', 'vol-r-2': '10.0.0.2:10000' } },
      modes({ 'vol-r-1': 'RW', 'vol-r-2': 'RW' }),
    ),
    aReplica(3, { nodeID: '', diskID: '', diskPath: '', healthyAt: '', desireState: 'stopped' }),
    aStorageNode(3, { allowScheduling: false }),
  ],
  'failure-not-recorded': [degraded, anEngine({}, modes({ 'vol-r-1': 'RW', 'vol-r-2': 'RW', 'vol-r-3': 'ERR' }))],
  'faulted-waits-for-node': [
    aVolume({}, { ...detached, robustness: 'faulted' }),
    anEngine({}, stopped),
    failed(1, 'node node-1 is down', { lastHealthyAt: failedAt }),
    failed(2, 'node node-2 is down'),
    failed(3, 'node node-3 is down'),
    down(1),
    down(2),
    down(3),
  ],
  'faulted-no-auto-salvage': [
    aVolume({}, { ...detached, robustness: 'faulted' }),
    anEngine({}, stopped),
    ...[1, 2, 3].map((number) => failed(number, 'its disk answers with errors')),
    {
      apiVersion: 'longhorn.io/v1beta2',
      kind: 'Setting',
      metadata: { name: 'auto-salvage', namespace: 'longhorn-system' },
      value: 'false',
    } as KubeObject,
  ],
  'attaching-silent-replica': [
    aVolume({}, { ...detached, state: 'attaching' }),
    anEngine({}, stopped, { [storageAnnotations.generation]: '5', [storageAnnotations.starting]: 'unproved' }),
    aReplica(1, {}, { [storageAnnotations.promised]: '5' }),
    down(3),
    anAttachment({ 'csi-1': csi }, { 'csi-1': ['Waiting', 'the volume is attaching'] }),
  ],
  'detached-nobody-asks': [
    aVolume({ nodeID: '' }, detached),
    anEngine({ desireState: 'stopped' }, stopped),
    anAttachment({}),
  ],
  'stranded-ticket': [
    aVolume({ nodeID: 'node-2' }, { currentNodeID: 'node-2' }),
    anEngine({ nodeID: 'node-2' }),
    anAttachment(
      { 'by-hand': api, 'csi-1': csi },
      {
        'csi-1': [
          'Stranded',
          'it was attached to node-2 by the API (ticket by-hand), which is not removed automatically',
        ],
      },
    ),
  ],
  detaching: [
    aVolume({ nodeID: '' }, { state: 'detaching' }),
    anEngine({ desireState: 'stopped' }, { currentState: 'stopping' }),
  ],
  'no-room': [
    aVolume({ numberOfReplicas: 1 }),
    anEngine(
      {},
      {
        conditions: [
          {
            type: 'RoomForWrites',
            status: 'False',
            reason: 'NoRoom',
            message:
              'writes fail with ENOSPC: vol-r-1, the only replica that can be read, has no room left; they succeed again as soon as there is room on its disk',
          },
        ],
      },
    ),
  ],
  expanding: [
    aVolume({ size: '21474836480' }, { expansionRequired: true }),
    anEngine({ volumeSize: '21474836480' }, { isExpanding: true }),
  ],
  'expansion-failed': [
    aVolume({ size: '21474836480' }, { expansionRequired: true }),
    anEngine(
      { volumeSize: '21474836480' },
      { lastExpansionError: 'replica vol-r-2: no space left on device', lastExpansionFailedAt: failedAt },
    ),
  ],
  creating: [
    aVolume(
      { nodeID: '' },
      { ...detached, state: 'creating', conditions: scheduled('ReplicaSchedulingFailure', 'tags not fulfilled') },
    ),
    anEngine({ replicaAddressMap: {} }, { ...stopped, snapshots: {} }),
    ...[1, 2, 3].map((number) => aReplica(number, { nodeID: '', diskID: '', healthyAt: '', lastHealthyAt: '' })),
  ],
  evicting: [aStorageNode(2, { allowScheduling: false, evictionRequested: true })],
  'evicting-detached-no-place': [
    aVolume({ nodeID: '' }, detached),
    anEngine({ desireState: 'stopped' }, stopped),
    anAttachment({}),
    aStorageNode(2, { allowScheduling: false, evictionRequested: true }),
  ],
  'not-supported': [
    aVolume(
      { nodeID: '', encrypted: true },
      {
        ...detached,
        state: 'creating',
        conditions: scheduled('NotSupported', 'encrypted volumes are not supported by this volume manager'),
      },
    ),
  ],
  'all-killed': [1, 2, 3].map((number) => aReplica(number, {}, { [storageAnnotations.killedIn]: '3' })),
  'engine-unknown': [anEngine({}, { currentState: 'unknown' }), down(1)],
  'too-large': [
    aVolume(
      {},
      {
        actualSize: 12 * 1024 ** 3,
        conditions: [{ type: 'TooManySnapshots', status: 'True', message: 'it has 101 snapshots, more than 100' }],
      },
    ),
  ],
  deleting: [aVolume({}, {}, { deletionTimestamp: '2030-01-02T00:00:00Z', finalizers: ['longhorn.io'] })],
  'no-manager': [aVolume({}, { ownerID: '' })],
};

describe('lateen storage volume describe', () => {
  it.each(Object.entries(states))('%s', async (name, objects) => {
    const run = setUp(...aHealthyVolume(), ...objects);
    const { code, stdout, stderr } = await run('volume describe vol');
    expect([code, stderr]).toEqual([0, '']);
    await expect(stdout).toMatchFileSnapshot(`testdata/${name}.txt`);
  });

  it('reports a failed replica while it may be used again, and not while it is being rebuilt', async () => {
    const reasons = async (...objects: KubeObject[]) => {
      const run = setUp(...aHealthyVolume(), ...objects);
      const json = JSON.parse((await run('volume describe vol -o json')).stdout) as { findings: { reason: string }[] };
      return json.findings.map(({ reason }) => reason);
    };
    const killedIn = { [storageAnnotations.killedIn]: '3' };
    expect(await reasons(aReplica(2, {}, killedIn))).toContain('ReplicaKilled');
    const { metadata, ...rest } = failed(2, 'node node-2 is down');
    const both = { ...rest, metadata: { ...metadata, annotations: { ...metadata.annotations, ...killedIn } } };
    expect(await reasons(both)).not.toContain('ReplicaKilled');
  });

  it('prints the same as JSON, with the objects', async () => {
    const run = setUp(...aHealthyVolume(), ...(states['degraded-failed-replica'] ?? []));
    const json = JSON.parse((await run('volume describe vol -o json')).stdout) as Record<string, unknown>;
    expect(Object.keys(json)).toEqual(
      expect.arrayContaining([
        'volume',
        'findings',
        'replicaStates',
        'space',
        'engine',
        'replicas',
        'attachment',
        'snapshots',
        'events',
      ]),
    );
    expect(json.findings).toMatchObject([{ reason: 'Degraded', weight: 'trouble' }]);
  });

  it('prints no control sequences of a terminal', async () => {
    const run = setUp(
      ...aHealthyVolume(),
      ...(states['degraded-failed-replica'] ?? []),
      failed(3, 'gone\u001b[2J\nand more'),
    );
    const { stdout } = await run('volume describe vol');
    expect(stdout).toContain('gone[2J and more');
  });
});

describe('lateen storage volume list', () => {
  it('shows the state of each', async () => {
    const { stdout } = await setUp(...aHealthyVolume())('volume list');
    expect(stdout).toBe(
      [
        'NAME  STATE     ROBUSTNESS  SIZE    USED   REPLICAS  NODE    CLAIM      AGE',
        'vol   attached  healthy     10 GiB  3 GiB  3         node-1  shop/data  24h',
        '',
      ].join('\n'),
    );
  });
  it.each([
    ['--robustness healthy', ['vol']],
    ['--robustness faulted', []],
    ['--state attached', ['vol']],
    ['--node node-2', []],
  ])('%s', async (flags, names) => {
    const { stdout } = await setUp(...aHealthyVolume())(`volume list ${flags} -o name`);
    expect(stdout.split('\n').filter(Boolean)).toEqual(names.map((name) => `volume/${name}`));
  });
  it('says what to install when the kinds are not served', async () => {
    const kube = fakeCluster({ strict: true });
    const run = storageRunner({ clock: new FakeClock(), random: seededRandom(), kube });
    expect(await run('volume list')).toMatchObject({
      code: 1,
      stderr:
        'lateen: the cluster has no replicated volumes: it does not know longhorn.io: the server could not find the requested resource. Install the volume manager with: lateen install --volume-manager replicated\n',
    });
  });
  it('names a volume that does not exist', async () => {
    expect(await setUp(...aHealthyVolume())('volume get other')).toMatchObject({
      code: 1,
      stderr: 'lateen: volumes.longhorn.io "other" not found\n',
    });
  });
});
