import type { Integer, KubeObject } from '@lateen/api-types';
import type { InstanceSpec } from '../instance/instance-spec.ts';
import type { InstanceStatus } from '../instance/instance-status.ts';
import type { FrontendPath } from '../kinds/instance-process.ts';
import type { Frontend } from '../meta/frontend.ts';
import { longhornType } from '../meta/longhorn-type.ts';
import type { Int64Text } from '../meta/scalars.ts';

/**
 * The front end of a v2 engine, as a process of its own. Lateen ignores objects of this kind; it exists so that clients of Longhorn can
 * list it.
 */
export interface EngineFrontend extends KubeObject {
  spec: EngineFrontendSpec;
  status?: EngineFrontendStatus;
}

/** How the front end has to run. */
export interface EngineFrontendSpec extends InstanceSpec {
  /** `true`: this front end serves the volume. `false`: it only exists during a change to another one. */
  active?: boolean;
  /** Name of the Engine that the front end connects to. */
  engineName?: string;
  /** How the volume is offered to its node: `nvmf` or `ublk`. Empty: not at all. */
  frontend?: Frontend;
  /** `true`: the front end runs without a device. */
  disableFrontend?: boolean;
  /** Size of the device: decimal number of bytes, as text. */
  size?: Int64Text;
  /** IP address of the engine. */
  targetIP?: string;
  /** Port of the engine. */
  targetPort?: Integer;
  /** Number of requests in one queue of the frontend ublk. */
  ublkQueueDepth?: Integer;
  /** Number of queues of the frontend ublk. */
  ublkNumberOfQueue?: Integer;
}

/** State of the front end. */
export interface EngineFrontendStatus extends InstanceStatus {
  /** Path that the front end uses now. */
  activePath?: string;
  /** Path that the front end should use. */
  preferredPath?: string;
  /** Paths from the front end to engines. */
  paths?: FrontendPath[];
  /** Size of the device that exists now: decimal number of bytes, as text. */
  currentSize?: Int64Text;
  /** Device of the volume on its node. Empty: there is no device. */
  endpoint?: string;
  /** Progress of a change from one engine to another. Empty: there is none. */
  switchoverPhase?: string;
  /** IP address of the engine that the front end uses now. */
  targetIP?: string;
  /** Port of the engine that the front end uses now. */
  targetPort?: Integer;
}

export const engineFrontendType = longhornType<EngineFrontend>('EngineFrontend', 'enginefrontends');
