import type { Int64, Integer, KubeObject } from '@lateen/api-types';
import type { Condition } from '../meta/condition.ts';
import type { DataEngine } from '../meta/data-engine.ts';
import { longhornType } from '../meta/longhorn-type.ts';
import type { InstanceProcess } from './instance-process.ts';

/** The pod on a node that runs the engines and replicas of that node. The volume manager creates it. */
export interface InstanceManager extends KubeObject {
  spec: InstanceManagerSpec;
  status?: InstanceManagerStatus;
}

/** `aio` runs engines and replicas; the others are from before that. */
export const instanceManagerTypes = ['aio', 'engine', 'replica'] as const;
export type InstanceManagerKind = (typeof instanceManagerTypes)[number];

export const instanceManagerStates = ['starting', 'running', 'stopped', 'error', 'unknown'] as const;
/** @unchecked */
export type InstanceManagerState = (typeof instanceManagerStates)[number];

/** Which pod runs, and on which node. */
export interface InstanceManagerSpec {
  /** Container image of the pod. */
  image?: string;
  /** Name of the node that the pod runs on. */
  nodeID?: string;
  /** What the pod runs. `aio`: engines and replicas. `engine`, `replica`: only these; not used any more. */
  type?: InstanceManagerKind;
  /**
   * Data engine of the processes in the pod. Only `v1` is supported by Lateen.
   * @unchecked
   */
  dataEngine?: DataEngine;
  /** Settings for one data engine. No effect in Lateen. */
  dataEngineSpec?: DataEngineSpec;
}

/** Settings of an instance manager for one data engine. No effect in Lateen. */
export interface DataEngineSpec {
  /** Settings for the data engine v2. No effect in Lateen. */
  v2?: V2DataEngineSpec;
}

/** Settings of an instance manager for the data engine v2. No effect in Lateen. */
export interface V2DataEngineSpec {
  /** CPUs to use, as a hexadecimal mask such as `0x3`. No effect in Lateen. */
  cpuMask?: string;
  /** Whether other processes are kept off these CPUs: `true` or `false`. No effect in Lateen. */
  cpuIsolationEnabled?: '' | 'true' | 'false';
}

/** State of the pod, and the processes in it. */
export interface InstanceManagerStatus {
  /** Name of the node whose volume manager processes this object. */
  ownerID?: string;
  /** State of the pod: `starting`, `running`, `stopped`, `error` or `unknown`. */
  currentState?: InstanceManagerState;
  /** IP address of the pod. Empty: it does not run. */
  ip?: string;
  /** Version of the pod's API. */
  apiVersion?: Integer;
  /** Oldest version of its API that the pod still accepts. */
  apiMinVersion?: Integer;
  /** Version of the API through which the pod forwards requests to engines. */
  proxyApiVersion?: Integer;
  /** Oldest version of that API that the pod still accepts. */
  proxyApiMinVersion?: Integer;
  /** Engines that run in the pod. Key: name of the Engine. */
  instanceEngines?: Record<string, InstanceProcess> | null;
  /** Front ends of v2 engines in the pod. Empty in Lateen. */
  instanceEngineFrontends?: Record<string, InstanceProcess> | null;
  /** Replicas that run in the pod. Key: name of the Replica. */
  instanceReplicas?: Record<string, InstanceProcess> | null;
  /** Groups of shards of v2 volumes in the pod. Empty in Lateen. */
  instanceShardGroups?: Record<string, InstanceProcess> | null;
  /** Shards of v2 volumes in the pod. Empty in Lateen. */
  instanceShards?: Record<string, InstanceProcess> | null;
  /** Copies of backing images in the pod. Empty in Lateen. */
  backingImages?: Record<string, BackingImageOfInstanceManager> | null;
  /** State of one data engine in the pod. Empty in Lateen. */
  dataEngineStatus?: DataEngineStatus;
  /** Conditions of the pod: what does not work, and why. */
  conditions?: Condition[] | null;
}

/** State of one data engine in an instance manager. */
export interface DataEngineStatus {
  /** State of the data engine v2. Empty in Lateen. */
  v2?: V2DataEngineStatus;
}

/** State of the data engine v2 in an instance manager. */
export interface V2DataEngineStatus {
  /** Number of CPU cores that the data engine uses. */
  cpuCoreNumber?: Int64;
  /** CPUs that the data engine uses, as a hexadecimal mask. */
  cpuMask?: string;
  /** Whether the data engine waits for interrupts instead of polling: `true` or `false`. */
  interruptModeEnabled?: '' | 'true' | 'false';
}

/** A copy of a backing image in an instance manager. */
export interface BackingImageOfInstanceManager {
  /** Name of the BackingImage. */
  name?: string;
  /** Identity of this copy. */
  uuid?: string;
  /** Identity of the disk that has the copy. */
  diskUUID?: string;
  /** Size of the copy in bytes. */
  size?: Int64;
  /** Progress in percent, 0 to 100. */
  progress?: Integer;
  /** Checksum of the copy. */
  currentChecksum?: string;
  /** State of the copy, such as `in-progress`, `ready` or `failed`. */
  state?: string;
  /** Why the copy failed. Empty: no error. */
  message?: string;
}

export const instanceManagerType = longhornType<InstanceManager>('InstanceManager', 'instancemanagers');
