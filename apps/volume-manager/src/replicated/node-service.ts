import { join } from 'node:path';
import { csi } from '@lateen/csi';
import { isAppError } from '@lateen/errors';
import type { ServiceHandlers } from '@lateen/grpc';
import {
  checkTargetPath,
  deviceStats,
  expandDevice,
  type Host,
  publishDevice,
  readMkfsParams,
  stageDevice,
  unpublishDevice,
  unstageDevice,
  volumeError,
} from '@lateen/volume';
import { presentPath, statsMessage } from '../csi/node-messages.ts';
import { readCapability } from '../csi/volume-capability.ts';
import { topologyOfNode } from './topology.ts';
import { requiredVolumeId } from './volume-id.ts';

const rpc = csi.NodeServiceCapability_RPC_Type;

const capabilities = [
  rpc.STAGE_UNSTAGE_VOLUME,
  rpc.GET_VOLUME_STATS,
  rpc.EXPAND_VOLUME,
  rpc.VOLUME_CONDITION,
  rpc.SINGLE_NODE_MULTI_WRITER,
];

export interface ReplicatedNode {
  nodeId: string;
  host: Host;
  /** Directory with the devices of attached volumes, named after the volumes' IDs. */
  deviceDirectory: string;
}

/** CSI Node for devices that the volume manager makes. Every path is checked before anything else happens. */
export function replicatedNodeHandlers({
  nodeId,
  host,
  deviceDirectory,
}: ReplicatedNode): ServiceHandlers<csi.NodeServer> {
  const deviceOf = (volumeId: string): string => join(deviceDirectory, requiredVolumeId(volumeId));
  return {
    nodeGetCapabilities: async () => ({ capabilities: capabilities.map((type) => ({ rpc: { type } })) }),
    nodeGetInfo: async () => ({ nodeId, maxVolumesPerNode: 0n, accessibleTopology: topologyOfNode(nodeId) }),
    nodeStageVolume: async (request, { signal }) => {
      const device = deviceOf(request.volumeId);
      const stagingPath = checkTargetPath(request.stagingTargetPath, 'staging_target_path');
      const mkfsParams = readMkfsParams(request.volumeContext.mkfsParams);
      await stageDevice(
        host,
        { device, stagingPath, use: readCapability(request.volumeCapability), mkfsParams },
        signal,
      );
      return {};
    },
    nodeUnstageVolume: async (request, { signal }) => {
      const device = deviceOf(request.volumeId);
      const stagingPath = checkTargetPath(request.stagingTargetPath, 'staging_target_path');
      await unstageDevice(host, { device, stagingPath }, signal);
      return {};
    },
    nodePublishVolume: async (request, { signal }) => {
      const { volumeId } = request;
      const device = deviceOf(volumeId);
      const targetPath = checkTargetPath(request.targetPath, 'target_path');
      const use = readCapability(request.volumeCapability);
      if (request.stagingTargetPath === '') throw volumeError('FAILED_PRECONDITION', 'staging_target_path is missing');
      const stagingPath = checkTargetPath(request.stagingTargetPath, 'staging_target_path');
      const readOnly = use.readOnly || request.readonly;
      await publishDevice(host, { volumeId, device, stagingPath, targetPath, use: { ...use, readOnly } }, signal);
      return {};
    },
    nodeUnpublishVolume: async (request, { signal }) => {
      const device = deviceOf(request.volumeId);
      const targetPath = checkTargetPath(request.targetPath, 'target_path');
      await unpublishDevice(host, { device, targetPath }, signal);
      return {};
    },
    nodeGetVolumeStats: async (request, { signal }) => {
      const device = deviceOf(request.volumeId);
      const volumePath = presentPath(request.volumePath);
      return statsMessage(await noneIsNotFound(deviceStats(host, { device, volumePath }, signal)));
    },
    nodeExpandVolume: async (request, { signal }) => {
      const device = deviceOf(request.volumeId);
      const volumePath = presentPath(request.volumePath);
      const bytes = await noneIsNotFound(expandDevice(host, { device, volumePath }, signal));
      return { capacityBytes: BigInt(bytes) };
    },
  };
}

/** CSI requires NOT_FOUND for a volume that is not at the given path. */
async function noneIsNotFound<T>(call: Promise<T>): Promise<T> {
  try {
    return await call;
  } catch (error) {
    if (!isAppError(error, 'UNAVAILABLE')) throw error;
    throw volumeError('NOT_FOUND', error.message, { cause: error });
  }
}
