import type { KubeObject, ObjectMeta } from '../meta/kube-object.ts';
import type { Timestamp } from '../meta/scalars.ts';
import type { Container } from './container.ts';
import { coreType } from './core-type.ts';
import type { Affinity, Toleration, TopologySpreadConstraint } from './scheduling.ts';
import type { Volume } from './volume.ts';

/** core/v1 Pod: what we set and read; everything else is kept. */
export interface Pod extends KubeObject {
  spec: PodSpec;
  status?: PodStatus;
}

export interface PodSpec {
  containers: Container[];
  initContainers?: Container[];
  volumes?: Volume[];
  nodeName?: string;
  nodeSelector?: Record<string, string>;
  affinity?: Affinity;
  tolerations?: Toleration[];
  topologySpreadConstraints?: TopologySpreadConstraint[];
  serviceAccountName?: string;
  automountServiceAccountToken?: boolean;
  restartPolicy?: 'Always' | 'OnFailure' | 'Never';
  terminationGracePeriodSeconds?: number;
  priorityClassName?: string;
  dnsPolicy?: string;
  dnsConfig?: { [field: string]: unknown };
  imagePullSecrets?: { name: string }[];
  hostNetwork?: boolean;
  os?: { name: 'linux' | 'windows' };
  securityContext?: PodSecurityContext;
  [field: string]: unknown;
}

export interface PodSecurityContext {
  runAsUser?: number;
  runAsGroup?: number;
  runAsNonRoot?: boolean;
  fsGroup?: number;
  seLinuxOptions?: { type?: string; level?: string; role?: string; user?: string };
  windowsOptions?: { runAsUserName?: string; [field: string]: unknown };
  [field: string]: unknown;
}

export interface PodTemplateSpec {
  metadata?: ObjectMeta;
  spec: PodSpec;
}

export const podPhases = ['Pending', 'Running', 'Succeeded', 'Failed', 'Unknown'] as const;
export type PodPhase = (typeof podPhases)[number];

export interface PodStatus {
  phase?: PodPhase;
  /** Set for example by an eviction. */
  reason?: string;
  message?: string;
  startTime?: Timestamp;
  podIP?: string;
  hostIP?: string;
  conditions?: PodCondition[];
  containerStatuses?: ContainerStatus[];
  initContainerStatuses?: ContainerStatus[];
  [field: string]: unknown;
}

export interface PodCondition {
  /** `PodScheduled`, `Ready` … */
  type: string;
  status: 'True' | 'False' | 'Unknown';
  /** `Unschedulable` when the scheduler found no node; the message says why. */
  reason?: string;
  message?: string;
  lastTransitionTime?: Timestamp | null;
  [field: string]: unknown;
}

export interface ContainerStatus {
  name: string;
  ready?: boolean;
  restartCount?: number;
  image?: string;
  imageID?: string;
  state?: ContainerState;
  lastState?: ContainerState;
  [field: string]: unknown;
}

/** Exactly one is set. */
export interface ContainerState {
  /** The reason is for example ImagePullBackOff or ErrImageNeverPull. */
  waiting?: { reason?: string; message?: string };
  running?: { startedAt?: Timestamp };
  /** The message is the termination message file's content, cut at 4096 bytes. */
  terminated?: {
    exitCode: number;
    signal?: number;
    reason?: string;
    message?: string;
    startedAt?: Timestamp;
    finishedAt?: Timestamp;
  };
}

export const podType = coreType<Pod>('v1', 'Pod', 'pods');
