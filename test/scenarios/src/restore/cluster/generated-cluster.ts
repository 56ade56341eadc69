import type { KubeObject } from '@lateen/api-types';
import { diceFor } from '../../simulation/dice.ts';
import { addClasses, addClusterWide, addCustom } from './cluster-objects.ts';
import { GeneratedObjects } from './generated-objects.ts';
import { addNamespace } from './namespace-objects.ts';
import { addWorkloads } from './workload-objects.ts';

/** Generates a cluster of one to three namespaces with objects of all common kinds; the same seed generates the same. */
export function generatedCluster(seed: number): readonly KubeObject[] {
  const dice = diceFor(seed, 'restore: cluster');
  const objects = new GeneratedObjects(dice);
  const namespaces = ['shop', 'bank', 'mail'].slice(0, dice.between(1, 3));
  const { storage, priority } = addClasses(objects);
  for (const namespace of namespaces) addWorkloads(objects, addNamespace(objects, namespace, storage), priority);
  addClusterWide(objects, namespaces);
  addCustom(objects, namespaces, storage);
  return objects.all;
}
