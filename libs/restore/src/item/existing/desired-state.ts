import type { Unstructured } from '@lateen/api-types';
import { isJsonObject } from '@lateen/kube';
import type { WayOfObject } from '../ready-object.ts';
import { isSame } from './merge-difference.ts';

/**
 * The state that an existing object should have after the restore. Fields that the restore removes from every object because the cluster
 * assigns them again (the node of a pod, the IP of a service, the volume of a claim) do not count: they stay as they are (docs/adr/0037).
 * Fields that a resource modifier removes are removed.
 */
export const desiredState = (inCluster: Unstructured, { original, acted, wanted }: WayOfObject): Unstructured =>
  filled(inCluster, wanted, original, acted) as Unstructured;

function filled(there: unknown, wanted: unknown, original: unknown, acted: unknown): unknown {
  if (isJsonObject(wanted) && isJsonObject(there)) {
    const [stored, left] = [mapOf(original), mapOf(acted)];
    const result: Record<string, unknown> = {};
    for (const field of new Set([...Object.keys(wanted), ...Object.keys(there)])) {
      const isGivenAnew = wanted[field] === undefined && left[field] === undefined && stored[field] !== undefined;
      const value = isGivenAnew ? there[field] : filled(there[field], wanted[field], stored[field], left[field]);
      if (value !== undefined) result[field] = value;
    }
    return result;
  }
  if (!Array.isArray(wanted) || !Array.isArray(there)) return wanted;
  if (wanted.length === there.length) {
    const [stored, left] = [listOf(original, there.length), listOf(acted, there.length)];
    return wanted.map((item, index) => filled(there[index], item, stored[index], left[index]));
  }
  // Elements that an action has removed (a token's volume) are in the cluster again.
  return isSame(there, original) && isSame(wanted, acted) ? there : wanted;
}

const mapOf = (value: unknown): Record<string, unknown> => (isJsonObject(value) ? value : {});

/** Lists of different lengths cannot be matched element by element. */
const listOf = (value: unknown, length: number): readonly unknown[] =>
  Array.isArray(value) && value.length === length ? value : [];
