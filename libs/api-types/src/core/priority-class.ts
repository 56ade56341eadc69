import type { KubeObject } from '../meta/kube-object.ts';
import { coreType } from './core-type.ts';

/** How important the pods that name it are, to the scheduler and when a node runs out of something. */
export interface PriorityClass extends KubeObject {
  value: number;
  globalDefault?: boolean;
  description?: string;
  preemptionPolicy?: 'PreemptLowerPriority' | 'Never';
}

export const priorityClassType = coreType<PriorityClass>(
  'scheduling.k8s.io/v1',
  'PriorityClass',
  'priorityclasses',
  false,
);
