import type { Integer, KubeObject } from '@lateen/api-types';
import type { InstanceSpec } from '../instance/instance-spec.ts';
import type { InstanceStatus } from '../instance/instance-status.ts';
import type { FrontendPath } from '../kinds/instance-process.ts';
import type { Frontend } from '../meta/frontend.ts';
import { longhornType } from '../meta/longhorn-type.ts';
import type { Int64Text } from '../meta/scalars.ts';

/** The front end of a v2 engine as a process of its own. The volume manager lists these and acts on none. */
export interface EngineFrontend extends KubeObject {
  spec: EngineFrontendSpec;
  status?: EngineFrontendStatus;
}

/** How a front end is to run. */
export interface EngineFrontendSpec extends InstanceSpec {
  /** Whether this front end is the one that serves the volume. */
  active?: boolean;
  /** Name of the Engine that it connects to. */
  engineName?: string;
  /** How the volume is offered to the node. */
  frontend?: Frontend;
  /** Whether to run without offering a device. */
  disableFrontend?: boolean;
  /** Bytes to offer. */
  size?: Int64Text;
  /** Address of the engine. */
  targetIP?: string;
  /** Port of the engine. */
  targetPort?: Integer;
  /** Requests that a queue of the ublk device holds. */
  ublkQueueDepth?: Integer;
  /** Number of queues of the ublk device. */
  ublkNumberOfQueue?: Integer;
}

/** What a front end does. */
export interface EngineFrontendStatus extends InstanceStatus {
  /** Path that serves the front end. */
  activePath?: string;
  /** Path that is to serve the front end. */
  preferredPath?: string;
  /** Paths from the front end to engines. */
  paths?: FrontendPath[];
  /** Bytes that are offered. */
  currentSize?: Int64Text;
  /** Where the volume can be reached. */
  endpoint?: string;
  /** How far a change between two engines has come. */
  switchoverPhase?: string;
  /** Address of the engine. */
  targetIP?: string;
  /** Port of the engine. */
  targetPort?: Integer;
}

export const engineFrontendType = longhornType<EngineFrontend>('EngineFrontend', 'enginefrontends');
