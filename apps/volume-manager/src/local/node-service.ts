import { csi } from '@lateen/csi';
import type { ServiceHandlers } from '@lateen/grpc';
import {
  checkTargetPath,
  expandOnNode,
  publishVolume,
  stageVolume,
  unpublishVolume,
  unstageVolume,
  type VolumeDeps,
  volumeError,
  volumeLimits,
  volumeStats,
} from '@lateen/volume';
import { presentPath, statsMessage } from '../csi/node-messages.ts';
import { readRange, topologyOf } from '../csi/request-fields.ts';
import { readCapability } from '../csi/volume-capability.ts';

const rpc = csi.NodeServiceCapability_RPC_Type;

const capabilities = [
  rpc.STAGE_UNSTAGE_VOLUME,
  rpc.GET_VOLUME_STATS,
  rpc.EXPAND_VOLUME,
  rpc.VOLUME_CONDITION,
  rpc.SINGLE_NODE_MULTI_WRITER,
];

/** CSI Node. Every path is checked before anything else happens. */
export function nodeHandlers(deps: VolumeDeps): ServiceHandlers<csi.NodeServer> {
  return {
    nodeGetCapabilities: async () => ({ capabilities: capabilities.map((type) => ({ rpc: { type } })) }),
    nodeGetInfo: async () => ({
      nodeId: deps.nodeId,
      maxVolumesPerNode: BigInt(volumeLimits.volumesPerNodeMax),
      accessibleTopology: topologyOf(deps.nodeId),
    }),
    nodeStageVolume: async (request, { signal }) => {
      const volumeId = required(request.volumeId);
      const stagingPath = checkTargetPath(request.stagingTargetPath, 'staging_target_path');
      await stageVolume(deps, { volumeId, stagingPath, use: readCapability(request.volumeCapability) }, signal);
      return {};
    },
    nodeUnstageVolume: async (request, { signal }) => {
      const volumeId = required(request.volumeId);
      const stagingPath = checkTargetPath(request.stagingTargetPath, 'staging_target_path');
      await unstageVolume(deps, { volumeId, stagingPath }, signal);
      return {};
    },
    nodePublishVolume: async (request, { signal }) => {
      const volumeId = required(request.volumeId);
      const targetPath = checkTargetPath(request.targetPath, 'target_path');
      const use = readCapability(request.volumeCapability);
      if (request.stagingTargetPath === '') throw volumeError('FAILED_PRECONDITION', 'staging_target_path is missing');
      const stagingPath = checkTargetPath(request.stagingTargetPath, 'staging_target_path');
      const readOnly = use.readOnly || request.readonly;
      await publishVolume(deps, { volumeId, stagingPath, targetPath, use: { ...use, readOnly } }, signal);
      return {};
    },
    nodeUnpublishVolume: async (request, { signal }) => {
      const volumeId = required(request.volumeId);
      const targetPath = checkTargetPath(request.targetPath, 'target_path');
      await unpublishVolume(deps, { volumeId, targetPath }, signal);
      return {};
    },
    nodeGetVolumeStats: async (request, { signal }) => {
      const volumeId = required(request.volumeId);
      const volumePath = presentPath(request.volumePath);
      return statsMessage(await volumeStats(deps, { volumeId, volumePath }, signal));
    },
    nodeExpandVolume: async (request, { signal }) => {
      const volumeId = required(request.volumeId);
      const volumePath = presentPath(request.volumePath);
      const range = readRange(request.capacityRange);
      const { access } = request.volumeCapability === undefined ? blockUse : readCapability(request.volumeCapability);
      const flags = access.kind === 'mount' ? access.flags : [];
      return { capacityBytes: BigInt(await expandOnNode(deps, { volumeId, volumePath, range, flags }, signal)) };
    },
  };
}

/** Stands in for a capability that the caller left out: no mount flags. */
const blockUse = { access: { kind: 'block' } } as const;

function required(volumeId: string): string {
  if (volumeId === '') throw volumeError('INVALID_ARGUMENT', 'volume_id is missing');
  return volumeId;
}
