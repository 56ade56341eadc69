import type { KubeObject } from '@lateen/api-types';
import { longhornType } from '../meta/longhorn-type.ts';

/**
 * The pod that offers an rwx volume as an NFS share. Lateen ignores objects of this kind; it exists so that clients of Longhorn can list
 * it.
 */
export interface ShareManager extends KubeObject {
  spec: ShareManagerSpec;
  status?: ShareManagerStatus;
}

/** Which pod offers the share. */
export interface ShareManagerSpec {
  /** Container image of the pod. */
  image?: string;
}

/** State of the pod and its share. */
export interface ShareManagerStatus {
  /** Name of the node whose volume manager processes this object. */
  ownerID?: string;
  /** State of the pod: `unknown`, `starting`, `running`, `stopping`, `stopped` or `error`. */
  state?: string;
  /** Address of the NFS share. Empty: there is none. */
  endpoint?: string;
  /** Container image of the pod that runs now. */
  currentImage?: string;
}

export const shareManagerType = longhornType<ShareManager>('ShareManager', 'sharemanagers');
