import type { Integer } from '@lateen/api-types';
import type { Condition } from '../meta/condition.ts';
import type { Int32 } from '../meta/scalars.ts';
import type { InstanceState } from './instance-state.ts';

/** State that engines and replicas have in common. */
export interface InstanceStatus {
  /** Name of the node whose volume manager processes this object. */
  ownerID?: string;
  /** Name of the InstanceManager that runs the process. Empty: it does not run. */
  instanceManagerName?: string;
  /** State of the process: `starting`, `running`, `stopping`, `stopped`, `error`, `unknown`, `suspended` or `terminated`. */
  currentState?: InstanceState;
  /** Container image of the process that runs now. Empty: it does not run. */
  currentImage?: string;
  /** IP address of the pod that runs the process. Empty: it does not run. */
  ip?: string;
  /** IP address that the process uses for data. Empty: it does not run. */
  storageIP?: string;
  /** Port that the process listens on. 0: it does not listen. */
  port?: Integer;
  /** `true`: the start of the process was requested. */
  starting?: boolean;
  /** `true`: the process has run since the last request to start it. */
  started?: boolean;
  /** `true`: the requested log was read. Not used in Lateen. */
  logFetched?: boolean;
  /** `true`: the request in `spec.salvageRequested` was carried out. Not used in Lateen. */
  salvageExecuted?: boolean;
  /** Number of the ublk device. Not used in Lateen. */
  ublkID?: Int32;
  /** Identity of this run of the process. It changes when the process starts again. */
  uuid?: string;
  /** Conditions of the process, such as `InstanceCreation`: what does not work, and why. */
  conditions?: Condition[] | null;
}
