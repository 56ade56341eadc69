import type { Int64, Integer } from '@lateen/api-types';
import type { InstanceState } from '../instance/instance-state.ts';
import type { DataEngine } from '../meta/data-engine.ts';
import type { Int32 } from '../meta/scalars.ts';

/** A process that an instance manager runs. */
export interface InstanceProcess {
  /** Which process it is. */
  spec?: InstanceProcessSpec;
  /** How it runs. */
  status?: InstanceProcessStatus;
}

/** Which process it is. */
export interface InstanceProcessSpec {
  /** Name of the Engine or Replica that it runs for. */
  name?: string;
  /**
   * Version of the data path.
   * @unchecked
   */
  dataEngine?: DataEngine;
}

/** How a process runs. */
export interface InstanceProcessStatus {
  /** State of the process. */
  state?: InstanceState;
  /** What it is: engine or replica. */
  type?: string;
  /** Address it listens on. */
  listen?: string;
  /** Where the volume can be reached. */
  endpoint?: string;
  /** How the volume is offered to the node. */
  frontend?: string;
  /** Why it failed. */
  errorMsg?: string;
  /** First port of the process. */
  portStart?: Int32;
  /** Last port of the process. */
  portEnd?: Int32;
  /** First port of the target that a front end connects to. */
  targetPortStart?: Int32;
  /** Last port of that target. */
  targetPortEnd?: Int32;
  /** Number of changes of the process so far. */
  resourceVersion?: Int64;
  /** Number of the ublk device. */
  ublkID?: Int32;
  /** Identity of this run of the process. */
  uuid?: string;
  /** What holds for the process. */
  conditions?: Record<string, boolean> | null;
  /** Path that serves the front end. */
  activePath?: string;
  /** Path that is to serve the front end. */
  preferredPath?: string;
  /** Paths from the front end to engines. */
  paths?: FrontendPath[];
}

/** A path from a front end to an engine. */
export interface FrontendPath {
  /** Name of the Engine. */
  engineName?: string;
  /** Address of the engine. */
  targetIP?: string;
  /** Port of the engine. */
  targetPort?: Integer;
  /** Qualified name of the NVMe subsystem. */
  nqn?: string;
  /** Identity of the NVMe namespace. */
  nguid?: string;
  /** Access state of the path. */
  anaState?: string;
}
