import type { BlockEngine, BlockSource } from '@lateen/block-engine';
import { csi } from '@lateen/csi';
import type { ServiceHandlers } from '@lateen/grpc';
import { objectNameOf } from '@lateen/replicated-engine';
import { csiTicketId } from '@lateen/storage-types';
import { volumeError } from '@lateen/volume';
import { readSource } from '../csi/request-fields.ts';
import { readCapabilities, readCapability } from '../csi/volume-capability.ts';
import { splitParameters } from './class-parameters.ts';
import { asCsi } from './engine-error-codes.ts';
import { requestedSize } from './requested-size.ts';
import { readSnapshotHandle, requireSnapshotClass, snapshotHandle } from './snapshot-handle.ts';
import { hostnameKey } from './topology.ts';
import { isVolumeId, requiredVolumeId } from './volume-id.ts';

const rpc = csi.ControllerServiceCapability_RPC_Type;

const capabilities = [
  rpc.CREATE_DELETE_VOLUME,
  rpc.PUBLISH_UNPUBLISH_VOLUME,
  rpc.CREATE_DELETE_SNAPSHOT,
  rpc.EXPAND_VOLUME,
  rpc.GET_CAPACITY,
  rpc.GET_VOLUME,
  rpc.VOLUME_CONDITION,
  rpc.SINGLE_NODE_MULTI_WRITER,
];

export interface ReplicatedController {
  engine: BlockEngine;
  /** Whether volumes can be attached to a node of this name. */
  hasNode(name: string, signal: AbortSignal): Promise<boolean>;
}

/** CSI Controller over a {@link BlockEngine} whose volumes can be attached to any node. */
export function replicatedControllerHandlers(deps: ReplicatedController): ServiceHandlers<csi.ControllerServer> {
  const { engine } = deps;
  const declared = [...capabilities, ...(engine.can.clones ? [rpc.CLONE_VOLUME] : [])];
  return {
    controllerGetCapabilities: async () => ({ capabilities: declared.map((type) => ({ rpc: { type } })) }),
    createVolume: (request, { signal }) => asCsi(() => createVolume(engine, request, signal)),
    deleteVolume: async ({ volumeId }, { signal }) => {
      if (volumeId === '') throw volumeError('INVALID_ARGUMENT', 'volume_id is missing');
      if (isVolumeId(volumeId)) await asCsi(() => engine.delete(volumeId, { signal }));
      return {};
    },
    controllerPublishVolume: (request, { signal }) => asCsi(() => publish(deps, request, signal)),
    controllerUnpublishVolume: (request, { signal }) => asCsi(() => unpublish(engine, request, signal)),
    createSnapshot: (request, { signal }) => asCsi(() => createSnapshot(engine, request, signal)),
    deleteSnapshot: async ({ snapshotId }, { signal }) => {
      if (snapshotId === '') throw volumeError('INVALID_ARGUMENT', 'snapshot_id is missing');
      const handle = readSnapshotHandle(snapshotId);
      if (handle !== undefined) await asCsi(() => engine.deleteSnapshot(handle.volume, handle.snapshot, { signal }));
      return {};
    },
    validateVolumeCapabilities: (request, { signal }) => asCsi(() => validate(engine, request, signal)),
    controllerGetVolume: ({ volumeId }, { signal }) => asCsi(() => getVolume(engine, volumeId, signal)),
    getCapacity: (request, { signal }) => asCsi(() => capacity(engine, request, signal)),
    controllerExpandVolume: (request, { signal }) => asCsi(() => expand(engine, request, signal)),
  };
}

async function createVolume(
  engine: BlockEngine,
  request: csi.CreateVolumeRequest,
  signal: AbortSignal,
): Promise<csi.CreateVolumeResponse> {
  if (request.name === '') throw volumeError('INVALID_ARGUMENT', 'name is missing');
  const uses = readCapabilities(request.volumeCapabilities);
  const { engine: parameters, context } = splitParameters(request.parameters);
  const source = sourceOf(request.volumeContentSource);
  const from = source === undefined ? undefined : await sourceBytes(engine, source, signal);
  const exclusive = uses.some(({ single }) => single) && parameters.share === undefined ? { exclusive: 'true' } : {};
  const { name, sizeBytes } = await engine.create(
    {
      name: request.name,
      sizeBytes: requestedSize(request.capacityRange, from),
      parameters: { ...exclusive, ...parameters },
      ...(source === undefined ? {} : { source }),
    },
    { signal },
  );
  return {
    volume: {
      volumeId: objectNameOf(name),
      capacityBytes: sizeBytes,
      volumeContext: context,
      contentSource: request.volumeContentSource,
      accessibleTopology: [],
    },
  };
}

function sourceOf(message: csi.VolumeContentSource | undefined): BlockSource | undefined {
  const source = readSource(message);
  if (source === undefined) return undefined;
  if (source.kind === 'volume') {
    if (!isVolumeId(source.id)) throw volumeError('NOT_FOUND', 'no volume has the ID of the source');
    return { kind: 'volume', volume: source.id };
  }
  const handle = readSnapshotHandle(source.id);
  if (handle === undefined) throw volumeError('NOT_FOUND', 'no snapshot has the ID of the source');
  return { kind: 'snapshot', ...handle };
}

/** As large as what it is made of, where the request says no size. */
async function sourceBytes(engine: BlockEngine, source: BlockSource, signal: AbortSignal): Promise<bigint> {
  if (source.kind === 'backup') return 0n;
  const volume = await existing(engine, source.volume, signal);
  return volume.sizeBytes;
}

async function existing(engine: BlockEngine, id: string, signal: AbortSignal) {
  const found = await engine.get(requiredVolumeId(id), { signal });
  if (found === undefined) throw volumeError('NOT_FOUND', `there is no volume ${id}`);
  return found;
}

async function publish(
  { engine, hasNode }: ReplicatedController,
  request: csi.ControllerPublishVolumeRequest,
  signal: AbortSignal,
): Promise<csi.ControllerPublishVolumeResponse> {
  const { nodeId } = request;
  if (request.volumeId === '') throw volumeError('INVALID_ARGUMENT', 'volume_id is missing');
  if (nodeId === '') throw volumeError('INVALID_ARGUMENT', 'node_id is missing');
  readCapability(request.volumeCapability);
  const { name } = await existing(engine, request.volumeId, signal);
  if (!(await hasNode(nodeId, signal))) {
    throw volumeError('NOT_FOUND', `the volume manager has no node ${JSON.stringify(nodeId)}`, {
      nextStep: 'Look at kubectl get nodes.longhorn.io; the manager of a node makes it when it starts.',
    });
  }
  const { devicePath } = await engine.attach(name, nodeId, { signal, by: csiTicketId(name, nodeId) });
  return { publishContext: { devicePath } };
}

/** Without a node from wherever it is. */
async function unpublish(
  engine: BlockEngine,
  { volumeId, nodeId }: csi.ControllerUnpublishVolumeRequest,
  signal: AbortSignal,
): Promise<csi.ControllerUnpublishVolumeResponse> {
  if (volumeId === '') throw volumeError('INVALID_ARGUMENT', 'volume_id is missing');
  if (!isVolumeId(volumeId)) return {};
  const nodes = nodeId === '' ? ((await engine.get(volumeId, { signal }))?.attachedTo ?? []) : [nodeId];
  for (const node of nodes) await engine.detach(volumeId, node, { signal, by: csiTicketId(volumeId, node) });
  return {};
}

async function createSnapshot(
  engine: BlockEngine,
  request: csi.CreateSnapshotRequest,
  signal: AbortSignal,
): Promise<csi.CreateSnapshotResponse> {
  if (request.name === '') throw volumeError('INVALID_ARGUMENT', 'name is missing');
  if (request.sourceVolumeId === '') throw volumeError('INVALID_ARGUMENT', 'source_volume_id is missing');
  requireSnapshotClass(request.parameters);
  const volume = requiredVolumeId(request.sourceVolumeId);
  const taken = await engine.snapshot(volume, request.name, { signal, freeze: 'whenMounted' });
  return {
    snapshot: {
      snapshotId: snapshotHandle({ volume, snapshot: objectNameOf(request.name) }),
      sourceVolumeId: volume,
      sizeBytes: taken.sizeBytes,
      creationTime: dateOf(taken.createdAtMs),
      readyToUse: true,
      groupSnapshotId: '',
    },
  };
}

/** A recorded time as the generated code wants it; nothing is read from the clock here. */
const dateOf = (epochMs: number) => new Date(epochMs);

async function validate(
  engine: BlockEngine,
  request: csi.ValidateVolumeCapabilitiesRequest,
  signal: AbortSignal,
): Promise<csi.ValidateVolumeCapabilitiesResponse> {
  if (request.volumeId === '') throw volumeError('INVALID_ARGUMENT', 'volume_id is missing');
  if (request.volumeCapabilities.length === 0) throw volumeError('INVALID_ARGUMENT', 'volume_capabilities is empty');
  await existing(engine, request.volumeId, signal);
  try {
    readCapabilities(request.volumeCapabilities);
    splitParameters(request.parameters);
  } catch (error) {
    return { confirmed: undefined, message: error instanceof Error ? error.message : String(error) };
  }
  const { volumeContext, volumeCapabilities, parameters, mutableParameters } = request;
  return { confirmed: { volumeContext, volumeCapabilities, parameters, mutableParameters }, message: '' };
}

async function getVolume(
  engine: BlockEngine,
  volumeId: string,
  signal: AbortSignal,
): Promise<csi.ControllerGetVolumeResponse> {
  const { name, sizeBytes, attachedTo } = await existing(engine, volumeId, signal);
  const volumeCondition = await engine.condition(name, { signal });
  return {
    volume: {
      volumeId,
      capacityBytes: sizeBytes,
      volumeContext: {},
      contentSource: undefined,
      accessibleTopology: [],
    },
    status: { publishedNodeIds: [...attachedTo], volumeCondition },
  };
}

/** A volume that is as large already stays as it is: the request was carried out before. */
async function expand(
  engine: BlockEngine,
  request: csi.ControllerExpandVolumeRequest,
  signal: AbortSignal,
): Promise<csi.ControllerExpandVolumeResponse> {
  if (request.volumeId === '') throw volumeError('INVALID_ARGUMENT', 'volume_id is missing');
  const { capacityRange: range } = request;
  if (range === undefined) throw volumeError('INVALID_ARGUMENT', 'capacity_range is missing');
  if (request.volumeCapability !== undefined) readCapability(request.volumeCapability);
  const volume = await existing(engine, request.volumeId, signal);
  const wanted = requestedSize(range, volume.sizeBytes);
  if (wanted < volume.sizeBytes && range.limitBytes > 0n && volume.sizeBytes > range.limitBytes) {
    throw volumeError('OUT_OF_RANGE', `the volume has ${volume.sizeBytes} bytes, and may have ${range.limitBytes}`);
  }
  const size = wanted > volume.sizeBytes ? wanted : volume.sizeBytes;
  const { sizeBytes } = await engine.grow(volume.name, size, { signal });
  return { capacityBytes: sizeBytes, nodeExpansionRequired: true };
}

async function capacity(
  engine: BlockEngine,
  { accessibleTopology, parameters }: csi.GetCapacityRequest,
  signal: AbortSignal,
): Promise<csi.GetCapacityResponse> {
  const node = accessibleTopology?.segments[hostnameKey];
  const where = node === undefined ? undefined : { node };
  const found = await engine.capacity(where, splitParameters(parameters).engine, { signal });
  return {
    availableCapacity: found.availableBytes,
    maximumVolumeSize: found.largestBytes,
    minimumVolumeSize: requestedSize({ requiredBytes: 1n, limitBytes: 0n }),
  };
}
