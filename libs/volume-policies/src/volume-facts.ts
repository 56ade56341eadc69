import type { PersistentVolume, PersistentVolumeClaim, Volume } from '@lateen/api-types';
import { parseQuantity, type Quantity } from '@lateen/kube';
import { sourceOfPodVolume, sourceOfVolume, type VolumeSource } from './volume-source.ts';

/** One volume: as a PersistentVolume, by its claim, as a volume of a pod, or several of them. */
export interface PolicyVolume {
  pv?: PersistentVolume | undefined;
  pvc?: PersistentVolumeClaim | undefined;
  podVolume?: Volume | undefined;
}

/** What conditions look at. */
export interface VolumeFacts {
  /** Zero where a volume of a pod has none, as in Velero. */
  capacity: Quantity;
  storageClass: string;
  source: VolumeSource | undefined;
  names: readonly string[];
  claim: PersistentVolumeClaim | undefined;
}

const nothing: Quantity = { mantissa: 0n, exponent: 0 };

export function volumeFacts({ pv, pvc, podVolume }: PolicyVolume): VolumeFacts {
  // The claim is asked where there is no volume yet: it says how much it wants, and of which class.
  const capacity = pv === undefined ? pvc?.spec.resources?.requests?.storage : pv.spec.capacity?.storage;
  const source = pv === undefined ? podVolume && sourceOfPodVolume(podVolume) : sourceOfVolume(pv);
  const names = [pv?.metadata.name, podVolume?.name, pvc?.metadata.name];
  return {
    capacity: (capacity === undefined ? undefined : parseQuantity(String(capacity))) ?? nothing,
    storageClass: (pv === undefined ? pvc?.spec.storageClassName : pv.spec.storageClassName) ?? '',
    source,
    names: names.filter((name) => name !== undefined),
    claim: pvc,
  };
}
