import { csi } from '@lateen/csi';
import type { ServiceHandlers } from '@lateen/grpc';
import {
  createSnapshot,
  createVolume,
  decideCapacity,
  deleteSnapshot,
  deleteVolume,
  expandVolume,
  findVolume,
  livesElsewhere,
  pageOf,
  type VolumeDeps,
  volumeError,
  volumeLimits,
} from '@lateen/volume';
import { allowsNode, readParameters, readRange, readSource } from '../csi/request-fields.ts';
import { readCapabilities, readCapability } from '../csi/volume-capability.ts';
import { topologyKey } from '../driver-name.ts';
import { snapshotMessage, volumeMessage } from './csi-messages.ts';
import { listSnapshots } from './list-snapshots.ts';

const rpc = csi.ControllerServiceCapability_RPC_Type;

const capabilities = [
  rpc.CREATE_DELETE_VOLUME,
  rpc.CREATE_DELETE_SNAPSHOT,
  rpc.LIST_VOLUMES,
  rpc.LIST_SNAPSHOTS,
  rpc.GET_CAPACITY,
  rpc.CLONE_VOLUME,
  rpc.EXPAND_VOLUME,
  rpc.GET_VOLUME,
  rpc.SINGLE_NODE_MULTI_WRITER,
];

/** CSI Controller for the volumes of this node (each node runs its own, with `--node-deployment` sidecars). */
export function controllerHandlers(deps: VolumeDeps): ServiceHandlers<csi.ControllerServer> {
  return {
    controllerGetCapabilities: async () => ({ capabilities: capabilities.map((type) => ({ rpc: { type } })) }),
    createVolume: (request, { signal }) => makeVolume(deps, request, signal),
    deleteVolume: async ({ volumeId }, { signal }) => {
      await deleteVolume(deps, volumeId, signal);
      return {};
    },
    createSnapshot: async (request, { signal }) => {
      const parameter = Object.keys(request.parameters).find((key) => !key.startsWith('csi.storage.k8s.io/'));
      if (parameter !== undefined) {
        throw volumeError('INVALID_ARGUMENT', `VolumeSnapshotClass parameter ${JSON.stringify(parameter)} is unknown`);
      }
      return { snapshot: snapshotMessage(await createSnapshot(deps, request, signal)) };
    },
    deleteSnapshot: async ({ snapshotId }, { signal }) => {
      await deleteSnapshot(deps, snapshotId, signal);
      return {};
    },
    validateVolumeCapabilities: async (request) => validate(deps, request),
    controllerGetVolume: async ({ volumeId }) => ({
      volume: volumeMessage(findVolume(deps, volumeId), deps.nodeId),
      status: { publishedNodeIds: [], volumeCondition: undefined },
    }),
    listVolumes: async ({ maxEntries, startingToken }) => {
      const ready = deps.store.volumes().filter(({ state }) => state === 'ready');
      const page = pageOf(ready, { entriesMax: maxEntries, token: startingToken });
      const entries = page.entries.map((record) => ({ volume: volumeMessage(record, deps.nodeId), status: undefined }));
      return { entries, nextToken: page.nextToken ?? '' };
    },
    listSnapshots: async (request) => listSnapshots(deps, request),
    getCapacity: (request) => capacity(deps, request),
    controllerExpandVolume: (request) => expand(deps, request),
  };
}

async function makeVolume(
  deps: VolumeDeps,
  request: csi.CreateVolumeRequest,
  signal: AbortSignal,
): Promise<csi.CreateVolumeResponse> {
  const uses = readCapabilities(request.volumeCapabilities);
  const parameters = readParameters(request.parameters);
  if (!allowsNode(request.accessibilityRequirements, deps.nodeId)) {
    throw volumeError('RESOURCE_EXHAUSTED', `volume ${request.name} cannot be created on node ${deps.nodeId}`, {
      nextStep: `The request's topology has to name it as ${topologyKey}.`,
    });
  }
  const asked = uses.map(({ access }) => (access.kind === 'mount' ? access.fileSystem : undefined));
  const mounts = uses.some(({ access }) => access.kind === 'mount');
  const fileSystem = asked.find((type) => type !== undefined) ?? (mounts ? parameters.fileSystem : undefined);
  const source = readSource(request.volumeContentSource);
  const record = await createVolume(
    deps,
    {
      name: request.name,
      range: readRange(request.capacityRange),
      ...(source === undefined ? {} : { source }),
      ...(fileSystem === undefined ? {} : { fileSystem }),
    },
    signal,
  );
  return { volume: volumeMessage(record, deps.nodeId) };
}

function validate(
  deps: VolumeDeps,
  request: csi.ValidateVolumeCapabilitiesRequest,
): csi.ValidateVolumeCapabilitiesResponse {
  if (request.volumeId === '') throw volumeError('INVALID_ARGUMENT', 'volume_id is missing');
  if (request.volumeCapabilities.length === 0) throw volumeError('INVALID_ARGUMENT', 'volume_capabilities is empty');
  findVolume(deps, request.volumeId);
  try {
    readCapabilities(request.volumeCapabilities);
    readParameters(request.parameters);
  } catch (error) {
    return { confirmed: undefined, message: error instanceof Error ? error.message : String(error) };
  }
  const { volumeContext, volumeCapabilities, parameters, mutableParameters } = request;
  return { confirmed: { volumeContext, volumeCapabilities, parameters, mutableParameters }, message: '' };
}

/**
 * csi-resizer is elected once for all nodes, so the call may arrive at a node that does not hold the volume. There it does nothing: NodeExpandVolume,
 * which follows, also grows the file.
 */
async function expand(
  deps: VolumeDeps,
  request: csi.ControllerExpandVolumeRequest,
): Promise<csi.ControllerExpandVolumeResponse> {
  if (request.capacityRange === undefined) throw volumeError('INVALID_ARGUMENT', 'capacity_range is missing');
  if (request.volumeCapability !== undefined) readCapability(request.volumeCapability);
  const range = readRange(request.capacityRange);
  const capacityBytes = livesElsewhere(deps, request.volumeId)
    ? decideCapacity(range)
    : (await expandVolume(deps, request.volumeId, range)).capacityBytes;
  return { capacityBytes: BigInt(capacityBytes), nodeExpansionRequired: true };
}

async function capacity(deps: VolumeDeps, request: csi.GetCapacityRequest): Promise<csi.GetCapacityResponse> {
  const { accessibleTopology } = request;
  const here =
    accessibleTopology === undefined || allowsNode({ requisite: [accessibleTopology], preferred: [] }, deps.nodeId);
  const available = here ? await deps.admission.availableBytes() : 0;
  return {
    availableCapacity: BigInt(available),
    maximumVolumeSize: BigInt(Math.min(available, volumeLimits.bytesMax)),
    minimumVolumeSize: BigInt(volumeLimits.bytesMin),
  };
}
