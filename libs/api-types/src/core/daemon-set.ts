import type { KubeObject } from '../meta/kube-object.ts';
import type { LabelSelector } from '../meta/label-selector.ts';
import { coreType } from './core-type.ts';
import type { PodTemplateSpec } from './pod.ts';

export interface DaemonSet extends KubeObject {
  spec: { selector: LabelSelector; template: PodTemplateSpec; [field: string]: unknown };
  status?: {
    desiredNumberScheduled?: number;
    numberReady?: number;
    numberAvailable?: number;
    updatedNumberScheduled?: number;
    observedGeneration?: number;
    [field: string]: unknown;
  };
}

export const daemonSetType = coreType<DaemonSet>('apps/v1', 'DaemonSet', 'daemonsets');
