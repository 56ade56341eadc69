import type { csi } from '@lateen/csi';
import { type CapacityRange, type ContentSource, type FileSystemType, volumeError } from '@lateen/volume';
import { topologyKey } from '../driver-name.ts';
import { readFileSystem } from './volume-capability.ts';

/** int64 on the wire; a volume has far fewer bytes than a double counts exactly. */
export function readRange(range: csi.CapacityRange | undefined): CapacityRange {
  return {
    ...(range === undefined || range.requiredBytes === 0n ? {} : { requiredBytes: Number(range.requiredBytes) }),
    ...(range === undefined || range.limitBytes === 0n ? {} : { limitBytes: Number(range.limitBytes) }),
  };
}

export function readSource(source: csi.VolumeContentSource | undefined): ContentSource | undefined {
  if (source === undefined) return undefined;
  if (source.snapshot !== undefined) return { kind: 'snapshot', id: source.snapshot.snapshotId };
  if (source.volume !== undefined) return { kind: 'volume', id: source.volume.volumeId };
  throw volumeError('INVALID_ARGUMENT', 'volume_content_source names neither a snapshot nor a volume');
}

/** Keys that the provisioner adds for information (`--extra-create-metadata`). */
const provisionerPrefix = 'csi.storage.k8s.io/';

/** StorageClass parameters. @throws AppError `INVALID_ARGUMENT` for one that we do not know. */
export function readParameters(parameters: Record<string, string>): { fileSystem?: FileSystemType } {
  const unknown = Object.keys(parameters).find((key) => key !== 'fsType' && !key.startsWith(provisionerPrefix));
  if (unknown !== undefined) {
    throw volumeError('INVALID_ARGUMENT', `StorageClass parameter ${JSON.stringify(unknown)} is unknown`, {
      nextStep: 'The only parameter is fsType (ext4 or xfs).',
    });
  }
  const fileSystem = readFileSystem(parameters.fsType);
  return fileSystem === undefined ? {} : { fileSystem };
}

export const topologyOf = (nodeId: string): csi.Topology => ({ segments: { [topologyKey]: nodeId } });

/** True when this node is among the ones that a request allows; no requirement allows every node. */
export function allowsNode(requirement: csi.TopologyRequirement | undefined, nodeId: string): boolean {
  const { requisite = [], preferred = [] } = requirement ?? {};
  const allowed = requisite.length > 0 ? requisite : preferred;
  return allowed.length === 0 || allowed.some(({ segments }) => segments[topologyKey] === nodeId);
}
