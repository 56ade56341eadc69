import type { Integer, KubeObject } from '@lateen/api-types';
import type { Condition } from '../meta/condition.ts';
import { longhornType } from '../meta/longhorn-type.ts';
import type { TimeText } from '../meta/scalars.ts';

/** An image with an engine, and on which nodes it can be used. */
export interface EngineImage extends KubeObject {
  spec: EngineImageSpec;
  status?: EngineImageStatus;
}

export const engineImageStates = ['deploying', 'deployed'] as const;
/** @unchecked */
export type EngineImageState = (typeof engineImageStates)[number];

/** Which image it is. */
export interface EngineImageSpec {
  /**
   * Reference of the image.
   * @minLength 1
   */
  image: string;
}

/** Where the image can be used, and by whom it is. */
export interface EngineImageStatus {
  /** Node whose manager looks after the object. */
  ownerID?: string;
  /** Whether the image is on all nodes. */
  state?: EngineImageState;
  /** Number of objects that use the image. */
  refCount?: Integer;
  /** Since when nothing has used the image. */
  noRefSince?: TimeText;
  /** Whether this manager cannot work with the image. */
  incompatible?: boolean;
  /** Whether the image can be used, by node. */
  nodeDeploymentMap?: Record<string, boolean> | null;
  /** What holds for the image. */
  conditions?: Condition[] | null;
  /** Version of the engine. */
  version?: string;
  /** Commit the engine was built from. */
  gitCommit?: string;
  /** When the engine was built. */
  buildDate?: string;
  /** Version of the engine's command line. */
  cliAPIVersion?: Integer;
  /** Oldest version of the command line that it answers to. */
  cliAPIMinVersion?: Integer;
  /** Version of the engine's API. */
  controllerAPIVersion?: Integer;
  /** Oldest version of the API that it answers to. */
  controllerAPIMinVersion?: Integer;
  /** Version of the format of replicas. */
  dataFormatVersion?: Integer;
  /** Oldest format of replicas that it reads. */
  dataFormatMinVersion?: Integer;
}

export const engineImageType = longhornType<EngineImage>('EngineImage', 'engineimages');
