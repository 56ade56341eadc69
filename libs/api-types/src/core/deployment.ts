import type { KubeObject } from '../meta/kube-object.ts';
import type { LabelSelector } from '../meta/label-selector.ts';
import { coreType } from './core-type.ts';
import type { PodTemplateSpec } from './pod.ts';

export interface Deployment extends KubeObject {
  spec: { replicas?: number; selector: LabelSelector; template: PodTemplateSpec; [field: string]: unknown };
  status?: {
    replicas?: number;
    readyReplicas?: number;
    availableReplicas?: number;
    updatedReplicas?: number;
    observedGeneration?: number;
    [field: string]: unknown;
  };
}

export const deploymentType = coreType<Deployment>('apps/v1', 'Deployment', 'deployments');
