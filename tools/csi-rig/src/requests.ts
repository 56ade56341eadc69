import { csi } from '@lateen/csi';

const mode = csi.VolumeCapability_AccessMode_Mode;

/** ReadWriteOnce as a file system, or, without a type, as a block device. */
export function capability(fsType: string | undefined): csi.VolumeCapability {
  const accessMode = { mode: mode.SINGLE_NODE_WRITER };
  if (fsType === undefined) return { block: {}, accessMode };
  return { mount: { fsType, mountFlags: [], volumeMountGroup: '' }, accessMode };
}

export function createVolumeRequest(
  name: string,
  bytes: number,
  rest: { fsType?: string | undefined; from?: csi.VolumeContentSource } = {},
): csi.CreateVolumeRequest {
  return {
    name,
    capacityRange: { requiredBytes: BigInt(bytes), limitBytes: 0n },
    volumeCapabilities: [capability(rest.fsType)],
    parameters: {},
    secrets: {},
    volumeContentSource: rest.from,
    accessibilityRequirements: undefined,
    mutableParameters: {},
  };
}

export function createSnapshotRequest(name: string, sourceVolumeId: string): csi.CreateSnapshotRequest {
  return { name, sourceVolumeId, secrets: {}, parameters: {} };
}

/** The paths at which one volume is staged and published. */
export interface Places {
  volumeId: string;
  stagingTargetPath: string;
  targetPath: string;
  fsType: string | undefined;
}

export function stageRequest(places: Places): csi.NodeStageVolumeRequest {
  const { volumeId, stagingTargetPath, fsType } = places;
  const volumeCapability = capability(fsType);
  return { volumeId, stagingTargetPath, volumeCapability, publishContext: {}, secrets: {}, volumeContext: {} };
}

export function publishRequest(places: Places, readonly = false): csi.NodePublishVolumeRequest {
  return { ...stageRequest(places), targetPath: places.targetPath, readonly };
}

export function expandRequest(volumeId: string, bytes: number): csi.ControllerExpandVolumeRequest {
  const capacityRange = { requiredBytes: BigInt(bytes), limitBytes: 0n };
  return { volumeId, capacityRange, secrets: {}, volumeCapability: undefined };
}

export function nodeExpandRequest(places: Places, bytes: number): csi.NodeExpandVolumeRequest {
  const { volumeId, stagingTargetPath, fsType } = places;
  const capacityRange = { requiredBytes: BigInt(bytes), limitBytes: 0n };
  const volumeCapability = capability(fsType);
  return { volumeId, volumePath: stagingTargetPath, capacityRange, stagingTargetPath, volumeCapability, secrets: {} };
}
