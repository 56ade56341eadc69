import { csi } from '@lateen/csi';
import { isAppError } from '@lateen/errors';
import { silentLogger, systemClock } from '@lateen/kernel';
import { replicatedBackups, replicatedBlockEngine } from '@lateen/replicated-engine';
import { type Backup, backupType, type Volume, volumeAttachmentObjectType, volumeType } from '@lateen/storage-types';
import { fakeCluster, MemoryDevices, ModelManager, seededRandom } from '@lateen/testing';
import { describe, expect, it } from 'vitest';
import { replicatedControllerHandlers } from './controller-service.ts';
import { replicatedOperationKeys } from './operation-keys.ts';

const namespace = 'longhorn-system';
const GiB = 1024n ** 3n;
const context = { signal: new AbortController().signal, log: silentLogger, header: () => undefined };
const capability: csi.VolumeCapability = {
  mount: { fsType: 'ext4', mountFlags: [], volumeMountGroup: '' },
  accessMode: { mode: csi.VolumeCapability_AccessMode_Mode.SINGLE_NODE_WRITER },
};

function driver() {
  const cluster = fakeCluster();
  const nodes = ['node-1', 'node-2'];
  const longhorn = { apiVersion: 'longhorn.io/v1beta2', kind: 'Node', spec: { disks: {} } };
  for (const name of nodes) cluster.put({ ...longhorn, metadata: { name, namespace } } as never);
  new ModelManager({ cluster, devices: new MemoryDevices(), nodes: [...nodes, 'node-3'] });
  const ports = { kube: cluster, namespace, clock: systemClock, random: seededRandom(1), log: silentLogger };
  const [engine, backups] = [replicatedBlockEngine(ports), replicatedBackups(ports)];
  const handlers = replicatedControllerHandlers({ engine, backups, hasNode: async (name) => nodes.includes(name) });
  const create = (name: string, rest: Partial<csi.CreateVolumeRequest> = {}) =>
    handlers.createVolume?.(
      {
        name,
        capacityRange: { requiredBytes: GiB, limitBytes: 0n },
        volumeCapabilities: [capability],
        parameters: {},
        secrets: {},
        volumeContentSource: undefined,
        accessibilityRequirements: undefined,
        mutableParameters: {},
        ...rest,
      },
      context,
    );
  const publish = (volumeId: string, nodeId: string, readonly = false) =>
    handlers.controllerPublishVolume?.(
      { volumeId, nodeId, volumeCapability: capability, readonly, secrets: {}, volumeContext: {} },
      context,
    );
  const snapshot = (name: string, sourceVolumeId: string, parameters: Record<string, string> = { type: 'snap' }) =>
    handlers.createSnapshot?.({ name, sourceVolumeId, parameters, secrets: {} }, context);
  return { cluster, handlers, create, publish, snapshot };
}

const codeOf = async (call: Promise<unknown> | undefined) => {
  try {
    await call;
    return 'none';
  } catch (error) {
    return isAppError(error) ? error.code : error;
  }
};

describe('CSI for replicated volumes', () => {
  it('creates a volume with its class as context, and returns it when repeated', async () => {
    const { create, cluster } = driver();
    const parameters = {
      numberOfReplicas: '2',
      fsType: 'ext4',
      mkfsParams: '-i 8192',
      'csi.storage.k8s.io/pvc/name': 'data',
    };
    const made = await create('pvc-1', { parameters });
    expect(made?.volume).toEqual({
      volumeId: 'pvc-1',
      capacityBytes: GiB,
      volumeContext: { numberOfReplicas: '2', fsType: 'ext4', mkfsParams: '-i 8192' },
      contentSource: undefined,
      accessibleTopology: [],
    });
    expect(await create('pvc-1', { parameters })).toEqual(made);
    expect(cluster.find(volumeType, { namespace, name: 'pvc-1' })?.spec.numberOfReplicas).toBe(2);
    const larger = { capacityRange: { requiredBytes: 2n * GiB, limitBytes: 0n } };
    expect(await codeOf(create('pvc-1', larger))).toBe('ALREADY_EXISTS');
  });

  it.each([
    ['no name', '', {}, 'INVALID_ARGUMENT'],
    ['no capability', 'v', { volumeCapabilities: [] }, 'INVALID_ARGUMENT'],
    ['an unknown parameter', 'v', { parameters: { x: 'y' } }, 'INVALID_ARGUMENT'],
    ['strict topology', 'v', { parameters: { strictTopology: 'true' } }, 'INVALID_ARGUMENT'],
    ['too narrow a range', 'v', { capacityRange: { requiredBytes: GiB + 1n, limitBytes: GiB + 2n } }, 'OUT_OF_RANGE'],
    ['no such snapshot', 'v', { volumeContentSource: { snapshot: { snapshotId: 'snap://a/b' } } }, 'NOT_FOUND'],
    ['no handle', 'v', { volumeContentSource: { snapshot: { snapshotId: 'anything' } } }, 'NOT_FOUND'],
    ['no such backup', 'v', { volumeContentSource: { snapshot: { snapshotId: 'bak://a/b' } } }, 'NOT_FOUND'],
    ['a backing image', 'v', { volumeContentSource: { snapshot: { snapshotId: 'bi://a/b' } } }, 'UNIMPLEMENTED'],
  ])('rejects %s', async (_title, name, request, code) => {
    expect(await codeOf(driver().create(name, request))).toBe(code);
  });

  it('attaches to one node at a time, and detaches from all without a name', async () => {
    const { create, publish, handlers, cluster } = driver();
    await create('pvc-1');
    expect(await publish('pvc-1', 'node-1')).toEqual({ publishContext: { devicePath: '/dev/longhorn/pvc-1' } });
    expect(await publish('pvc-1', 'node-1')).toEqual({ publishContext: { devicePath: '/dev/longhorn/pvc-1' } });
    expect(await codeOf(publish('pvc-1', 'node-2'))).toBe('FAILED_PRECONDITION');
    expect(await codeOf(publish('pvc-1', 'nowhere'))).toBe('NOT_FOUND');
    expect(await codeOf(publish('pvc-9', 'node-1'))).toBe('NOT_FOUND');
    const got = await handlers.controllerGetVolume?.({ volumeId: 'pvc-1' }, context);
    expect(got?.status).toEqual({
      publishedNodeIds: ['node-1'],
      volumeCondition: { abnormal: false, message: 'every replica has all data' },
    });
    expect(await codeOf(handlers.deleteVolume?.({ volumeId: 'pvc-1', secrets: {} }, context))).toBe(
      'FAILED_PRECONDITION',
    );
    for (const nodeId of ['', 'node-1', 'node-2']) {
      await handlers.controllerUnpublishVolume?.({ volumeId: 'pvc-1', nodeId, secrets: {} }, context);
    }
    expect(cluster.find(volumeAttachmentObjectType, { namespace, name: 'pvc-1' })?.spec.attachmentTickets).toEqual({});
    await handlers.deleteVolume?.({ volumeId: 'pvc-1', secrets: {} }, context);
    expect(cluster.all(volumeType)).toEqual([]);
  });

  it("takes snapshots under Longhorn's handle, and creates volumes from them when the manager can", async () => {
    const { create, snapshot, handlers } = driver();
    await create('pvc-1');
    const taken = await snapshot('snapshot-1', 'pvc-1');
    expect(taken?.snapshot).toMatchObject({
      snapshotId: 'snap://pvc-1/snapshot-1',
      sourceVolumeId: 'pvc-1',
      sizeBytes: GiB,
      readyToUse: true,
    });
    expect(await snapshot('snapshot-1', 'pvc-1')).toEqual(taken);
    await create('pvc-2');
    expect(await codeOf(snapshot('snapshot-1', 'pvc-2'))).toBe('ALREADY_EXISTS');
    const volumeContentSource = { snapshot: { snapshotId: 'snap://pvc-1/snapshot-1' } };
    const copied = await create('pvc-3', { volumeContentSource, capacityRange: undefined });
    expect(copied?.volume).toMatchObject({ capacityBytes: GiB, contentSource: volumeContentSource });
    for (const snapshotId of ['snap://pvc-1/snapshot-1', 'snap://pvc-1/snapshot-1', 'whatever']) {
      await handlers.deleteSnapshot?.({ snapshotId, secrets: {} }, context);
    }
    expect(await codeOf(handlers.deleteSnapshot?.({ snapshotId: 'bi://pvc-1/x', secrets: {} }, context))).toBe(
      'UNIMPLEMENTED',
    );
    expect(await codeOf(snapshot('s', 'pvc-1', { type: 'bak', backupMode: 'half' }))).toBe('INVALID_ARGUMENT');
    expect(await codeOf(snapshot('s', 'pvc-1', { type: 'x' }))).toBe('INVALID_ARGUMENT');
  });

  it('creates a backup of the snapshot for the type bak, ready when it is complete, and volumes from it', async () => {
    const { create, snapshot, handlers, cluster } = driver();
    await create('pvc-1');
    expect(await codeOf(snapshot('snapshot-1', 'pvc-1', {}))).toBe('UNAVAILABLE');
    const target = { apiVersion: 'longhorn.io/v1beta2', kind: 'BackupTarget', status: { available: true } };
    cluster.put({ ...target, metadata: { name: 'default', namespace }, spec: {} } as never);
    const going = await snapshot('snapshot-1', 'pvc-1', { type: 'bak', backupMode: 'full' });
    const snapshotId = going?.snapshot?.snapshotId ?? '';
    expect(snapshotId).toMatch(/^bak:\/\/pvc-1\/backup-[0-9a-f]{16}$/);
    expect(going?.snapshot).toMatchObject({ readyToUse: false, sizeBytes: GiB, sourceVolumeId: 'pvc-1' });
    const name = snapshotId.split('/').at(-1) ?? '';
    const backup = () => cluster.find<Backup>(backupType, { namespace, name });
    expect(backup()?.spec).toMatchObject({ snapshotName: 'snapshot-1', backupMode: 'full' });
    const volumeContentSource = { snapshot: { snapshotId } };
    expect(await codeOf(create('pvc-2', { volumeContentSource }))).toBe('FAILED_PRECONDITION');
    const url = `s3://b@r/?backup=${name}&volume=pvc-1`;
    const status = { state: 'Completed', url, volumeSize: String(2n * GiB), snapshotCreatedAt: '2030-01-01T00:00:00Z' };
    cluster.change<Backup>(backupType, { namespace, name }, (object) => {
      object.status = { ...status, state: 'Completed' };
    });
    const complete = (await snapshot('snapshot-1', 'pvc-1', {}))?.snapshot;
    expect(complete).toMatchObject({ snapshotId, readyToUse: true, sizeBytes: 2n * GiB });
    expect(complete?.creationTime?.toISOString()).toBe('2030-01-01T00:00:00.000Z');
    const made = await create('pvc-2', { volumeContentSource, capacityRange: undefined });
    expect(made?.volume).toMatchObject({ capacityBytes: 2n * GiB, contentSource: volumeContentSource });
    expect(cluster.find<Volume>(volumeType, { namespace, name: 'pvc-2' })?.spec.fromBackup).toBe(url);
    expect(await create('pvc-2', { volumeContentSource, capacityRange: undefined })).toEqual(made);
    await create('pvc-3');
    expect(await codeOf(snapshot('snapshot-1', 'pvc-3', {}))).toBe('ALREADY_EXISTS');
    await handlers.deleteSnapshot?.({ snapshotId: `bak://pvc-3/${name}`, secrets: {} }, context);
    expect(backup()).toBeDefined();
    for (let call = 0; call < 2; call++) await handlers.deleteSnapshot?.({ snapshotId, secrets: {} }, context);
    expect(backup()).toBeUndefined();
  });

  it('reports why a backup has failed', async () => {
    const { create, snapshot, cluster } = driver();
    await create('pvc-1');
    const target = { apiVersion: 'longhorn.io/v1beta2', kind: 'BackupTarget', status: { available: true } };
    cluster.put({ ...target, metadata: { name: 'default', namespace }, spec: {} } as never);
    await snapshot('snapshot-1', 'pvc-1', {});
    const { name = '' } = cluster.all<Backup>(backupType)[0]?.metadata ?? {};
    cluster.change<Backup>(backupType, { namespace, name }, (object) => {
      object.status = { state: 'Error', error: 'the bucket is full' };
    });
    await expect(snapshot('snapshot-1', 'pvc-1', {})).rejects.toThrow('has failed: the bucket is full');
  });

  it('creates a volume from the backup of its class, and finds it again when it has grown to the size of that', async () => {
    const { create, cluster } = driver();
    const parameters = { fromBackup: 's3://b@r/?backup=backup-1&volume=old' };
    await create('pvc-1', { parameters });
    cluster.change<Volume>(volumeType, { namespace, name: 'pvc-1' }, ({ spec }) => {
      expect(spec.fromBackup).toBe(parameters.fromBackup);
      spec.size = String(2n * GiB);
    });
    expect((await create('pvc-1', { parameters }))?.volume?.capacityBytes).toBe(2n * GiB);
  });

  it('grows, and never shrinks', async () => {
    const { create, handlers } = driver();
    await create('pvc-1');
    const expand = (requiredBytes: bigint, limitBytes = 0n) =>
      handlers.controllerExpandVolume?.(
        { volumeId: 'pvc-1', capacityRange: { requiredBytes, limitBytes }, secrets: {}, volumeCapability: capability },
        context,
      );
    expect(await expand(2n * GiB)).toEqual({ capacityBytes: 2n * GiB, nodeExpansionRequired: true });
    expect(await expand(GiB)).toMatchObject({ capacityBytes: 2n * GiB });
    expect(await codeOf(expand(GiB, GiB))).toBe('OUT_OF_RANGE');
  });

  it('declares clones', async () => {
    const declared = await driver().handlers.controllerGetCapabilities?.({}, context);
    const { CLONE_VOLUME } = csi.ControllerServiceCapability_RPC_Type;
    expect(declared?.capabilities.map(({ rpc }) => rpc?.type)).toContain(CLONE_VOLUME);
  });

  it.each(['../../etc', '..', '--all', 'UPPER', 'x'.repeat(5000), '\0'])(
    'finds no volume with the ID %j',
    async (volumeId) => {
      const { handlers, publish, cluster } = driver();
      expect(await codeOf(publish(volumeId, 'node-1'))).toBe('NOT_FOUND');
      await handlers.deleteVolume?.({ volumeId, secrets: {} }, context);
      expect(replicatedOperationKeys('deleteVolume', { volumeId })).toEqual([]);
      expect(cluster.all(volumeType)).toEqual([]);
    },
  );
});
