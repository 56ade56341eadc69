import type { BlockEngine, BlockSource } from '@lateen/block-engine';
import { csi } from '@lateen/csi';
import type { ServiceHandlers } from '@lateen/grpc';
import { objectNameOf, type VolumeBackups } from '@lateen/replicated-engine';
import { csiTicketId } from '@lateen/storage-types';
import { volumeError } from '@lateen/volume';
import { readSource } from '../csi/request-fields.ts';
import { readCapabilities, readCapability } from '../csi/volume-capability.ts';
import { splitParameters } from './class-parameters.ts';
import { asCsi } from './engine-error-codes.ts';
import { requestedSize } from './requested-size.ts';
import { createSnapshot, deleteSnapshot } from './snapshot-calls.ts';
import { readSnapshotHandle, type SnapshotHandle } from './snapshot-handle.ts';
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
  backups: VolumeBackups;
  /** Whether volumes can be attached to a node of this name. */
  hasNode(name: string, signal: AbortSignal): Promise<boolean>;
}

/** CSI Controller over a {@link BlockEngine} whose volumes can be attached to any node. */
export function replicatedControllerHandlers(deps: ReplicatedController): ServiceHandlers<csi.ControllerServer> {
  const { engine } = deps;
  const declared = [...capabilities, ...(engine.can.clones ? [rpc.CLONE_VOLUME] : [])];
  return {
    controllerGetCapabilities: async () => ({ capabilities: declared.map((type) => ({ rpc: { type } })) }),
    createVolume: (request, { signal }) => asCsi(() => createVolume(deps, request, signal)),
    deleteVolume: async ({ volumeId }, { signal }) => {
      if (volumeId === '') throw volumeError('INVALID_ARGUMENT', 'volume_id is missing');
      if (isVolumeId(volumeId)) await asCsi(() => engine.delete(volumeId, { signal }));
      return {};
    },
    controllerPublishVolume: (request, { signal }) => asCsi(() => publish(deps, request, signal)),
    controllerUnpublishVolume: (request, { signal }) => asCsi(() => unpublish(engine, request, signal)),
    createSnapshot: (request, { signal }) => asCsi(() => createSnapshot(deps, request, signal)),
    deleteSnapshot: (request, { signal }) => asCsi(() => deleteSnapshot(deps, request, signal)),
    validateVolumeCapabilities: (request, { signal }) => asCsi(() => validate(engine, request, signal)),
    controllerGetVolume: ({ volumeId }, { signal }) => asCsi(() => getVolume(engine, volumeId, signal)),
    getCapacity: (request, { signal }) => asCsi(() => capacity(engine, request, signal)),
    controllerExpandVolume: (request, { signal }) => asCsi(() => expand(engine, request, signal)),
  };
}

async function createVolume(
  { engine, backups }: ReplicatedController,
  request: csi.CreateVolumeRequest,
  signal: AbortSignal,
): Promise<csi.CreateVolumeResponse> {
  if (request.name === '') throw volumeError('INVALID_ARGUMENT', 'name is missing');
  const uses = readCapabilities(request.volumeCapabilities);
  const { engine: parameters, context } = splitParameters(request.parameters);
  const source = sourceOf(request.volumeContentSource);
  const { source: content, bytes: from } = await contentOf({ engine, backups }, source, signal);
  const exclusive = uses.some(({ single }) => single) && parameters.share === undefined ? { exclusive: 'true' } : {};
  const { name, sizeBytes } = await engine.create(
    {
      name: request.name,
      sizeBytes: requestedSize(request.capacityRange, from),
      parameters: { ...exclusive, ...parameters },
      ...(content === undefined ? {} : { source: content }),
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

/** A volume, a snapshot of one, or a backup; {@link contentOf} looks it up. */
type NamedSource = { readonly volume: string } | SnapshotHandle;

function sourceOf(message: csi.VolumeContentSource | undefined): NamedSource | undefined {
  const source = readSource(message);
  if (source === undefined) return undefined;
  if (source.kind === 'volume') {
    if (!isVolumeId(source.id)) throw volumeError('NOT_FOUND', 'no volume has the ID of the source');
    return { volume: source.id };
  }
  const handle = readSnapshotHandle(source.id);
  if (handle === undefined) throw volumeError('NOT_FOUND', 'no snapshot has the ID of the source');
  return handle;
}

/** If the request gives no size, the volume gets the size of its source. */
async function contentOf(
  { engine, backups }: Pick<ReplicatedController, 'engine' | 'backups'>,
  source: NamedSource | undefined,
  signal: AbortSignal,
): Promise<{ readonly source?: BlockSource; readonly bytes?: bigint }> {
  if (source === undefined) return {};
  const { volume } = source;
  if ('type' in source && source.type === 'bak') {
    const { name } = source;
    const found = await backups.find(volume, name, { signal });
    if (found === undefined) throw volumeError('NOT_FOUND', `there is no backup ${name} of volume ${volume}`);
    if (!found.isComplete)
      throw volumeError('FAILED_PRECONDITION', `backup ${name} of volume ${volume} is not complete`);
    return { source: { kind: 'backup', url: found.url }, bytes: found.sizeBytes };
  }
  const { sizeBytes: bytes } = await existing(engine, volume, signal);
  if ('type' in source) return { source: { kind: 'snapshot', volume, snapshot: source.name }, bytes };
  return { source: { kind: 'volume', volume }, bytes };
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
      nextStep: 'See kubectl get nodes.longhorn.io; the manager of a node makes it when it starts.',
    });
  }
  const { devicePath } = await engine.attach(name, nodeId, { signal, by: csiTicketId(name, nodeId) });
  return { publishContext: { devicePath } };
}

/** Without a node, from any node that it is attached to. */
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

/** A volume that has the size already stays as it is: the request was carried out before. */
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
