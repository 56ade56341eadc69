import type { Unstructured } from '@lateen/api-types';
import { isJsonObject } from '@lateen/kube';
import type { WayOfObject } from '../ready-object.ts';
import { isSame } from './merge-difference.ts';

/**
 * What an object that is in the cluster should look like after the restore. What the restore takes out of every object because the
 * cluster gives it anew (the node of a pod, the IP of a service, the volume of a claim) says nothing about what should be there: it stays as
 * it is (docs/adr/0037). What a resource modifier takes out is meant to go.
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
  // Elements that an action has taken out (a token's volume) are there again.
  return isSame(there, original) && isSame(wanted, acted) ? there : wanted;
}

const mapOf = (value: unknown): Record<string, unknown> => (isJsonObject(value) ? value : {});

/** Elements of lists of another length cannot be told to belong together. */
const listOf = (value: unknown, length: number): readonly unknown[] =>
  Array.isArray(value) && value.length === length ? value : [];
