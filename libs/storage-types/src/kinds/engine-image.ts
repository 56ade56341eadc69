import type { Integer, KubeObject } from '@lateen/api-types';
import type { Condition } from '../meta/condition.ts';
import { longhornType } from '../meta/longhorn-type.ts';
import type { TimeText } from '../meta/scalars.ts';

/** An image with the program of engines and replicas, and the nodes on which it can be used. */
export interface EngineImage extends KubeObject {
  spec: EngineImageSpec;
  status?: EngineImageStatus;
}

export const engineImageStates = ['deploying', 'deployed'] as const;
/** @unchecked */
export type EngineImageState = (typeof engineImageStates)[number];

/** Which image this is. */
export interface EngineImageSpec {
  /**
   * Reference of the container image, such as `registry.example.com/lateen:1.0`.
   * @minLength 1
   */
  image: string;
}

/** Where the image can be used, and its versions. */
export interface EngineImageStatus {
  /** Name of the node whose volume manager processes this object. */
  ownerID?: string;
  /** `deployed`: the image can be used on all nodes. `deploying`: not on all of them yet. */
  state?: EngineImageState;
  /** Number of volumes, engines and replicas that use the image. */
  refCount?: Integer;
  /** Since when nothing has used the image. Empty: it is used. */
  noRefSince?: TimeText;
  /** `true`: this volume manager cannot work with the image. */
  incompatible?: boolean;
  /** Whether the image can be used on a node. Key: name of the node. */
  nodeDeploymentMap?: Record<string, boolean> | null;
  /** Conditions of the image, such as `ready`. */
  conditions?: Condition[] | null;
  /** Version of the program in the image. */
  version?: string;
  /** Git commit that the program was built from. */
  gitCommit?: string;
  /** When the program was built. */
  buildDate?: string;
  /** Version of the program's command line. */
  cliAPIVersion?: Integer;
  /** Oldest version of the command line that the program still accepts. */
  cliAPIMinVersion?: Integer;
  /** Version of the engine's API. */
  controllerAPIVersion?: Integer;
  /** Oldest version of the engine's API that the engine still accepts. */
  controllerAPIMinVersion?: Integer;
  /** Version of the format in which replicas store data. */
  dataFormatVersion?: Integer;
  /** Oldest version of that format that the program can read. */
  dataFormatMinVersion?: Integer;
}

export const engineImageType = longhornType<EngineImage>('EngineImage', 'engineimages');
