import type { KubeObject } from '@lateen/api-types';
import { longhornType } from '../meta/longhorn-type.ts';

/** The pod that shares an rwx volume. The volume manager lists these and acts on none. */
export interface ShareManager extends KubeObject {
  spec: ShareManagerSpec;
  status?: ShareManagerStatus;
}

/** Which pod is to run. */
export interface ShareManagerSpec {
  /** Image of the pod. */
  image?: string;
}

/** How the pod runs. */
export interface ShareManagerStatus {
  /** Node whose manager looks after the object. */
  ownerID?: string;
  /** Whether the share can be used. */
  state?: string;
  /** Address of the share. */
  endpoint?: string;
  /** Image of the pod that runs. */
  currentImage?: string;
}

export const shareManagerType = longhornType<ShareManager>('ShareManager', 'sharemanagers');
