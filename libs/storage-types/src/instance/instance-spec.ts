import type { DataEngine } from '../meta/data-engine.ts';
import type { Int64Text } from '../meta/scalars.ts';
import type { InstanceState } from './instance-state.ts';

/** Settings that engines and replicas have in common. */
export interface InstanceSpec {
  /** Name of the Volume that the process belongs to. */
  volumeName?: string;
  /** Size of the volume: decimal number of bytes, as text. */
  volumeSize?: Int64Text;
  /** Name of the node that the process runs on. Empty: not decided yet, or the process should not run. */
  nodeID?: string;
  /** Container image of the process. */
  image?: string;
  /** Whether the process should run: `running` or `stopped`. */
  desireState?: InstanceState;
  /** `true`: the log of the process is requested. No effect in Lateen. */
  logRequested?: boolean;
  /** `true`: the process has to start with replicas that have failed. No effect in Lateen; use `lateen storage volume salvage`. */
  salvageRequested?: boolean;
  /** Data engine of the process. Only `v1` is supported by Lateen. */
  dataEngine?: DataEngine;
}
