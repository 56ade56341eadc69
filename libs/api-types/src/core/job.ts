import type { KubeObject } from '../meta/kube-object.ts';
import type { Timestamp } from '../meta/scalars.ts';
import { coreType } from './core-type.ts';
import type { PodTemplateSpec } from './pod.ts';

/** batch/v1 Job: what we set and read; everything else is kept. */
export interface Job extends KubeObject {
  spec: {
    template: PodTemplateSpec;
    backoffLimit?: number;
    activeDeadlineSeconds?: number;
    ttlSecondsAfterFinished?: number;
    [field: string]: unknown;
  };
  status?: JobStatus;
}

export interface JobStatus {
  startTime?: Timestamp;
  /** Only of a Job that has succeeded. */
  completionTime?: Timestamp;
  active?: number;
  succeeded?: number;
  failed?: number;
  conditions?: JobCondition[];
  [field: string]: unknown;
}

export interface JobCondition {
  /** `Complete` or `Failed` when it has ended; others come before. */
  type: string;
  status: 'True' | 'False' | 'Unknown';
  /** `BackoffLimitExceeded`, `DeadlineExceeded` … */
  reason?: string;
  message?: string;
  lastTransitionTime?: Timestamp | null;
  [field: string]: unknown;
}

export const jobType = coreType<Job>('batch/v1', 'Job', 'jobs');
