import type { Integer } from '@lateen/api-types';
import type { Condition } from '../meta/condition.ts';
import type { Int32 } from '../meta/scalars.ts';
import type { InstanceState } from './instance-state.ts';

/** What is known of the process that an object stands for. */
export interface InstanceStatus {
  /** Node whose manager looks after the object. */
  ownerID?: string;
  /** Name of the InstanceManager that runs the process. */
  instanceManagerName?: string;
  /** State of the process. */
  currentState?: InstanceState;
  /** Image whose engine runs. */
  currentImage?: string;
  /** Address of the pod that the process runs in. */
  ip?: string;
  /** Address of the process for data. */
  storageIP?: string;
  /** Port the process serves on; 0 when it does not. */
  port?: Integer;
  /** Whether the start of the process has been asked for. */
  starting?: boolean;
  /** Whether the process has been running since it was last asked for. */
  started?: boolean;
  /** Whether the log that was asked for has been fetched. */
  logFetched?: boolean;
  /** Whether the salvage that was asked for has been done. */
  salvageExecuted?: boolean;
  /** Number of the ublk device. */
  ublkID?: Int32;
  /** Identity of this run of the process. */
  uuid?: string;
  /** What holds for the process. */
  conditions?: Condition[] | null;
}
