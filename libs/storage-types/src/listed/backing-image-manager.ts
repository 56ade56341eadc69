import type { Int64, Integer, KubeObject } from '@lateen/api-types';
import { longhornType } from '../meta/longhorn-type.ts';

/**
 * The pod that stores the backing images of one disk. Lateen ignores objects of this kind; it exists so that clients of Longhorn can list
 * it.
 */
export interface BackingImageManager extends KubeObject {
  spec: BackingImageManagerSpec;
  status?: BackingImageManagerStatus;
}

/** Which pod runs, and for which disk. */
export interface BackingImageManagerSpec {
  /** Container image of the pod. */
  image?: string;
  /** Name of the node that the pod runs on. */
  nodeID?: string;
  /** Identity of the disk that the pod manages. */
  diskUUID?: string;
  /** Path of the disk on its node. */
  diskPath?: string;
  /** Identity of each backing image that the disk should have. Key: name of the BackingImage. */
  backingImages?: Record<string, string>;
}

/** State of the pod, and the copies on its disk. */
export interface BackingImageManagerStatus {
  /** Name of the node whose volume manager processes this object. */
  ownerID?: string;
  /** State of the pod, such as `starting`, `running` or `error`. */
  currentState?: string;
  /** IP address of the pod. */
  ip?: string;
  /** IP address that the pod uses for data. */
  storageIP?: string;
  /** Version of the pod's API. */
  apiVersion?: Integer;
  /** Oldest version of its API that the pod still accepts. */
  apiMinVersion?: Integer;
  /** Copies on the disk. Key: name of the BackingImage. */
  backingImageFileMap?: Record<string, BackingImageFile> | null;
}

/** A copy of a backing image on a disk. */
export interface BackingImageFile {
  /** Name of the BackingImage. */
  name?: string;
  /** Identity of the backing image. */
  uuid?: string;
  /** State of the copy, such as `in-progress`, `ready` or `failed`. */
  state?: string;
  /** Progress in percent, 0 to 100. */
  progress?: Integer;
  /** Why the copy failed. Empty: no error. */
  message?: string;
  /** Checksum of the copy. */
  currentChecksum?: string;
  /** Size of the file in bytes. */
  size?: Int64;
  /** Space that the file takes on the disk, in bytes. */
  realSize?: Int64;
  /** Size in bytes of a volume that is created from the image. */
  virtualSize?: Int64;
  /** Address of the pod that the data is copied from. */
  senderManagerAddress?: string;
  /** Number of pods that copy from this one. */
  sendingReference?: Integer;
}

export const backingImageManagerType = longhornType<BackingImageManager>('BackingImageManager', 'backingimagemanagers');
