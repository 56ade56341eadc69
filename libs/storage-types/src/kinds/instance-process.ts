import type { Int64, Integer } from '@lateen/api-types';
import type { InstanceState } from '../instance/instance-state.ts';
import type { DataEngine } from '../meta/data-engine.ts';
import type { Int32 } from '../meta/scalars.ts';

/** A process that an instance manager runs. */
export interface InstanceProcess {
  /** Which engine or replica the process belongs to. */
  spec?: InstanceProcessSpec;
  /** State and addresses of the process. */
  status?: InstanceProcessStatus;
}

/** Which engine or replica the process belongs to. */
export interface InstanceProcessSpec {
  /** Name of the Engine or Replica. */
  name?: string;
  /**
   * Data engine of the process. Only `v1` is supported by Lateen.
   * @unchecked
   */
  dataEngine?: DataEngine;
}

/** State and addresses of a process. */
export interface InstanceProcessStatus {
  /** State of the process: `starting`, `running`, `stopping`, `stopped`, `error`, `unknown`, `suspended` or `terminated`. */
  state?: InstanceState;
  /** Type of the process: `engine` or `replica`. */
  type?: string;
  /** Address and port that the process listens on. */
  listen?: string;
  /** Device of the volume, such as `/dev/longhorn/NAME`. Empty: there is no device. */
  endpoint?: string;
  /** How the volume is offered to its node, such as `blockdev`. Empty: not at all. */
  frontend?: string;
  /** Why the process failed. Empty: no error. */
  errorMsg?: string;
  /** First port of the process. 0: it does not listen. */
  portStart?: Int32;
  /** Last port of the process. */
  portEnd?: Int32;
  /** First port that a front end of v2 connects to. 0 in Lateen. */
  targetPortStart?: Int32;
  /** Last port that a front end of v2 connects to. 0 in Lateen. */
  targetPortEnd?: Int32;
  /** Number of changes of the process so far. It grows with each change. */
  resourceVersion?: Int64;
  /** Number of the ublk device. Not used in Lateen. */
  ublkID?: Int32;
  /** Identity of this run of the process. It changes when the process starts again. */
  uuid?: string;
  /** Conditions of the process, each true or false. Key: type of the condition. */
  conditions?: Record<string, boolean> | null;
  /** Path that a front end of v2 uses now. Empty in Lateen. */
  activePath?: string;
  /** Path that a front end of v2 should use. Empty in Lateen. */
  preferredPath?: string;
  /** Paths from a front end of v2 to engines. Empty in Lateen. */
  paths?: FrontendPath[];
}

/** A path from a front end of v2 to an engine. */
export interface FrontendPath {
  /** Name of the Engine at the end of the path. */
  engineName?: string;
  /** IP address of the engine. */
  targetIP?: string;
  /** Port of the engine. */
  targetPort?: Integer;
  /** Qualified name (NQN) of the NVMe subsystem. */
  nqn?: string;
  /** Globally unique identifier (NGUID) of the NVMe namespace. */
  nguid?: string;
  /** Access state (ANA) of the path, such as `optimized` or `inaccessible`. */
  anaState?: string;
}
