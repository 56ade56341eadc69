import type { DataEngine } from '../meta/data-engine.ts';
import type { Int64Text } from '../meta/scalars.ts';
import type { InstanceState } from './instance-state.ts';

/** What every object has that stands for a running process of a volume. */
export interface InstanceSpec {
  /** Name of the Volume that the process belongs to. */
  volumeName?: string;
  /** Size of the volume in bytes. */
  volumeSize?: Int64Text;
  /** Node the process is to run on. */
  nodeID?: string;
  /** Image whose engine is to run. */
  image?: string;
  /** State that the process is to have: running or stopped. */
  desireState?: InstanceState;
  /** Whether the log of the process is to be fetched. */
  logRequested?: boolean;
  /** Whether the process is to start again with what its failed replicas hold. */
  salvageRequested?: boolean;
  /** Version of the data path. */
  dataEngine?: DataEngine;
}
