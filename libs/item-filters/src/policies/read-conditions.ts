import { compareQuantities, parseQuantity, type Quantity } from '@lateen/kube';
import type { VolumeConditions } from './resource-policies.ts';
import {
  isNothing,
  PolicyFileError,
  type ReadValue,
  readObject,
  readText,
  readTextMap,
  readTexts,
} from './yaml-values.ts';

/** Reads conditions by their names in the file. */
export const readConditions: ReadValue<VolumeConditions> = (node, where) => {
  const { capacity, ...others } = readFields(node, where);
  // An empty `nfs:` means every NFS volume. If it counted as absent, it would match every volume.
  const bare = node.kind === 'map' ? node.entries.filter(({ value }) => isNothing(value)).map(({ key }) => key) : [];
  return {
    ...others,
    ...(capacity === undefined || Object.keys(capacity).length === 0 ? {} : { capacity }),
    ...(bare.includes('nfs') ? { nfs: {} } : {}),
    ...(bare.includes('csi') ? { csi: {} } : {}),
  };
};

const readCapacity: ReadValue<NonNullable<VolumeConditions['capacity']>> = (node, where) => {
  const text = readText(node, where);
  const bounds = text.split(',').map((bound) => bound.trim());
  if (bounds.length !== 2) throw new PolicyFileError(node.line, `wrong format of Capacity ${text}`);
  const [min, max] = bounds.map((bound): Quantity | undefined => {
    if (bound === '') return undefined;
    const quantity = parseQuantity(bound);
    if (quantity === undefined) {
      throw new PolicyFileError(
        node.line,
        `wrong format of Capacity ${text}: "${bound}" is not a quantity such as 10Gi`,
      );
    }
    return quantity;
  });
  // An upper bound of 0 means no bound, as in Velero.
  const limit = max === undefined || max.mantissa === 0n ? undefined : max;
  if (min !== undefined && limit !== undefined && compareQuantities(min, limit) > 0) {
    throw new PolicyFileError(node.line, `illegal values for capacity ${text}: the lower bound is above the upper one`);
  }
  return { ...(min === undefined ? {} : { min }), ...(limit === undefined ? {} : { max: limit }) };
};

const readCsi: ReadValue<NonNullable<VolumeConditions['csi']>> = (node, where) => {
  const csi = readObject<{ driver: string; volumeAttributes: Record<string, string> }>({
    driver: readText,
    volumeAttributes: readTextMap,
  })(node, where);
  if (csi.driver === undefined && Object.keys(csi.volumeAttributes ?? {}).length > 0) {
    throw new PolicyFileError(node.line, 'csi driver should not be empty when filtering by volume attributes');
  }
  return csi;
};

const readFields = readObject<Required<VolumeConditions>>({
  capacity: readCapacity,
  storageClass: readTexts,
  nfs: readObject<{ server: string; path: string }>({ server: readText, path: readText }),
  csi: readCsi,
  volumeTypes: readTexts,
  volumeName: readTexts,
  pvcLabels: readTextMap,
  pvcPhase: readTexts,
  pvcVolumeMode: readText,
  pvcAccessModes: readTexts,
});

const meaningful: Readonly<Partial<Record<keyof VolumeConditions, readonly string[]>>> = {
  pvcPhase: ['Pending', 'Bound', 'Lost'],
  pvcVolumeMode: ['Filesystem', 'Block'],
  pvcAccessModes: ['ReadWriteOnce', 'ReadOnlyMany', 'ReadWriteMany', 'ReadWriteOncePod'],
};

/** Warnings about values that no volume has: Velero allows them, but they are most likely misspelled. */
export function conditionWarnings(conditions: VolumeConditions, where: string): string[] {
  return Object.entries(meaningful).flatMap(([field, known]) => {
    const value = conditions[field as keyof VolumeConditions] as string | string[] | undefined;
    const values = value === undefined ? [] : [value].flat();
    return values
      .filter((each) => !known.includes(each))
      .map((each) => `${where}.${field}: "${each}" matches no volume; it can be ${known.join(', ')}`);
  });
}
