import type { PersistentVolume, Volume } from '@lateen/api-types';

/** Where a volume comes from: the one field of its spec that says so. */
export interface VolumeSource {
  /** `csi`, `nfs`, `hostPath`, `emptyDir` … */
  type: string;
  value: Readonly<Record<string, unknown>>;
}

/** Fields of a PersistentVolume that are no source. */
const otherFields: ReadonlySet<string> = new Set([
  'capacity',
  'accessModes',
  'volumeMode',
  'storageClassName',
  'persistentVolumeReclaimPolicy',
  'claimRef',
  'nodeAffinity',
  'mountOptions',
  'volumeAttributesClassName',
]);

export const sourceOfVolume = ({ spec }: PersistentVolume): VolumeSource | undefined =>
  sourceIn(spec, (field) => !otherFields.has(field));

export const sourceOfPodVolume = (volume: Volume): VolumeSource | undefined =>
  sourceIn(volume, (field) => field !== 'name');

function sourceIn(fields: object, isSource: (field: string) => boolean): VolumeSource | undefined {
  for (const [type, value] of Object.entries(fields)) {
    if (isSource(type) && typeof value === 'object' && value !== null) {
      return { type, value: value as Record<string, unknown> };
    }
  }
  return undefined;
}
