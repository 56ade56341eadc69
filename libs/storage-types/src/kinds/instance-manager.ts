import type { Int64, Integer, KubeObject } from '@lateen/api-types';
import type { Condition } from '../meta/condition.ts';
import type { DataEngine } from '../meta/data-engine.ts';
import { longhornType } from '../meta/longhorn-type.ts';
import type { InstanceProcess } from './instance-process.ts';

/** The pod of a node that runs engines and replicas. */
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

/** Which pod is to run, and where. */
export interface InstanceManagerSpec {
  /** Image of the pod. */
  image?: string;
  /** Node of the pod. */
  nodeID?: string;
  /** What the pod runs. */
  type?: InstanceManagerKind;
  /**
   * Version of the data path.
   * @unchecked
   */
  dataEngine?: DataEngine;
  /** What is asked of the pod for one version of the data path. */
  dataEngineSpec?: DataEngineSpec;
}

/** What is asked of an instance manager for one version of the data path. */
export interface DataEngineSpec {
  /** For v2. */
  v2?: V2DataEngineSpec;
}

/** What is asked of an instance manager of v2. */
export interface V2DataEngineSpec {
  /** Processors to use, as a mask. */
  cpuMask?: string;
  /** Whether nothing else may use these processors. */
  cpuIsolationEnabled?: '' | 'true' | 'false';
}

/** What a pod runs. */
export interface InstanceManagerStatus {
  /** Node whose manager looks after the object. */
  ownerID?: string;
  /** Whether the pod runs. */
  currentState?: InstanceManagerState;
  /** Address of the pod. */
  ip?: string;
  /** Version of the API of the pod. */
  apiVersion?: Integer;
  /** Oldest version of the API that the pod answers to. */
  apiMinVersion?: Integer;
  /** Version of the proxy's API. */
  proxyApiVersion?: Integer;
  /** Oldest version of the proxy's API that it answers to. */
  proxyApiMinVersion?: Integer;
  /** Engines that run, by name. */
  instanceEngines?: Record<string, InstanceProcess> | null;
  /** Front ends that run, by name. */
  instanceEngineFrontends?: Record<string, InstanceProcess> | null;
  /** Replicas that run, by name. */
  instanceReplicas?: Record<string, InstanceProcess> | null;
  /** Groups of shards that run, by name. */
  instanceShardGroups?: Record<string, InstanceProcess> | null;
  /** Shards that run, by name. */
  instanceShards?: Record<string, InstanceProcess> | null;
  /** Backing images that the pod has, by name. */
  backingImages?: Record<string, BackingImageOfInstanceManager> | null;
  /** What is known for one version of the data path. */
  dataEngineStatus?: DataEngineStatus;
  /** What holds for the pod. */
  conditions?: Condition[] | null;
}

/** What is known of an instance manager for one version of the data path. */
export interface DataEngineStatus {
  /** For v2. */
  v2?: V2DataEngineStatus;
}

/** What is known of an instance manager of v2. */
export interface V2DataEngineStatus {
  /** Number of processors that are used. */
  cpuCoreNumber?: Int64;
  /** Processors that are used, as a mask. */
  cpuMask?: string;
  /** Whether interrupts are used instead of polling. */
  interruptModeEnabled?: '' | 'true' | 'false';
}

/** A backing image that an instance manager has. */
export interface BackingImageOfInstanceManager {
  /** Name of the BackingImage. */
  name?: string;
  /** Identity of this copy. */
  uuid?: string;
  /** Identity of the disk that the copy is on. */
  diskUUID?: string;
  /** Bytes of the copy. */
  size?: Int64;
  /** Percent done. */
  progress?: Integer;
  /** Checksum of the copy. */
  currentChecksum?: string;
  /** How far the copy has come. */
  state?: string;
  /** Why the copy failed. */
  message?: string;
}

export const instanceManagerType = longhornType<InstanceManager>('InstanceManager', 'instancemanagers');
