import type { VolumeConditions } from '@lateen/item-filters';
import { compareQuantities } from '@lateen/kube';
import type { VolumeFacts } from './volume-facts.ts';

type Condition<Field extends keyof VolumeConditions> = (
  wanted: NonNullable<VolumeConditions[Field]>,
  facts: VolumeFacts,
) => boolean;

/** One condition each (api.md section 17.4, after-1.18.1.md 1A and 1B). An empty list or map asks for nothing. */
const conditions: { [Field in keyof Required<VolumeConditions>]: Condition<Field> } = {
  capacity: ({ min, max }, { capacity }) =>
    (min === undefined || compareQuantities(capacity, min) >= 0) &&
    (max === undefined || compareQuantities(capacity, max) <= 0),
  storageClass: (wanted, { storageClass }) => oneOf(wanted, [storageClass]),
  nfs: ({ server, path }, { source }) =>
    source?.type === 'nfs' && isAsked(server, source.value.server) && isAsked(path, source.value.path),
  csi: ({ driver, volumeAttributes = {} }, { source }) =>
    source?.type === 'csi' &&
    isAsked(driver, source.value.driver) &&
    hasAll(volumeAttributes, attributesOf(source.value)),
  // The documents of Velero write `configmap` where the field is `configMap`.
  volumeTypes: (wanted, { source }) =>
    wanted.length === 0 || wanted.some((type) => type.toLowerCase() === source?.type.toLowerCase()),
  volumeName: (wanted, { names }) => oneOf(wanted, names),
  pvcLabels: (wanted, { claim }) =>
    Object.keys(wanted).length === 0 || (claim !== undefined && hasAll(wanted, claim.metadata.labels ?? {})),
  pvcPhase: (wanted, { claim }) => oneOf(wanted, claim?.status?.phase === undefined ? [] : [claim.status.phase]),
  pvcVolumeMode: (wanted, { claim }) =>
    wanted === '' || (claim !== undefined && (claim.spec.volumeMode ?? 'Filesystem') === wanted),
  pvcAccessModes: (wanted, { claim }) =>
    wanted.every((mode) => claim?.spec.accessModes?.some((each) => each === mode) === true),
};

/** Whether all conditions hold; without any, every volume is meant. */
export function matchesConditions(wanted: VolumeConditions, facts: VolumeFacts): boolean {
  return Object.entries(wanted).every(([field, value]) => {
    if (value === undefined) return true;
    // The table has for each field the condition that takes its value.
    const holds = conditions[field as keyof VolumeConditions] as (value: unknown, facts: VolumeFacts) => boolean;
    return holds(value, facts);
  });
}

const oneOf = (wanted: readonly string[], given: readonly string[]): boolean =>
  wanted.length === 0 || given.some((value) => wanted.includes(value));

const isAsked = (wanted: string | undefined, given: unknown): boolean =>
  wanted === undefined || wanted === '' || wanted === given;

const hasAll = (wanted: Readonly<Record<string, string>>, given: Readonly<Record<string, unknown>>): boolean =>
  Object.entries(wanted).every(([key, value]) => Object.hasOwn(given, key) && given[key] === value);

const attributesOf = ({ volumeAttributes }: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> =>
  typeof volumeAttributes === 'object' && volumeAttributes !== null
    ? (volumeAttributes as Record<string, unknown>)
    : {};
