import type { ResourceRequirements } from '@lateen/api-types';
import { type ExposureSettings, podResourcesMaxFields, readPodResourcesMax } from '@lateen/exposer';
import { readPodResources } from '@lateen/kube';
import { objectAt, type Remark, remarkUnknown } from './settings-value.ts';

/** The resources of hosting pods; nothing when they are not set or invalid. */
export function podResourcesAt(key: string, value: unknown, remark: Remark): ResourceRequirements | undefined {
  if (value === undefined || value === null) return undefined;
  const reading = readPodResources(value);
  if ('problem' in reading) {
    remark(`"${key}" is ignored: ${reading.problem}`);
    return undefined;
  }
  for (const unknown of reading.unknownKeys) remark(`"${key}.${unknown}" is unknown and has no effect`);
  return Object.keys(reading.resources).length === 0 ? undefined : reading.resources;
}

/** Not in Velero. An empty value for a class means best effort for that class, not the default for all. */
export function podResourcesPerStorageClassAt(value: unknown, remark: Remark): Record<string, ResourceRequirements> {
  const key = 'podResourcesPerStorageClass';
  const classes: [string, ResourceRequirements][] = [];
  for (const [name, block] of Object.entries(objectAt(key, value, remark) ?? {})) {
    const complaints: string[] = [];
    const resources = podResourcesAt(`${key}.${name}`, block, (text) => complaints.push(text));
    complaints.forEach(remark);
    const meant = resources !== undefined || (complaints.length === 0 && block !== null);
    if (meant) classes.push([name, resources ?? {}]);
  }
  return Object.fromEntries(classes);
}

/**
 * Not in Velero: the most that a claim's annotation may ask for. For an invalid value the default applies, which is a bound too.
 */
export function podResourcesMaxAt(value: unknown, remark: Remark): ExposureSettings['podResourcesMax'] {
  const key = 'podResourcesMax';
  const given = objectAt(key, value, remark);
  if (given === undefined) return undefined;
  const fields = podResourcesMaxFields.map(([, field]) => field);
  remarkUnknown(`${key}.`, given, fields, remark);
  return readPodResourcesMax(given, (problem) => remark(`"${key}": ${problem}, so the default holds`));
}
