import type { Int64, Integer, KubeObject } from '@lateen/api-types';
import { longhornType } from '../meta/longhorn-type.ts';

/** The pod that keeps the backing images of one disk. The volume manager lists these and acts on none. */
export interface BackingImageManager extends KubeObject {
  spec: BackingImageManagerSpec;
  status?: BackingImageManagerStatus;
}

/** Which pod is to run, and for which disk. */
export interface BackingImageManagerSpec {
  /** Image of the pod. */
  image?: string;
  /** Node of the pod. */
  nodeID?: string;
  /** Identity of the disk. */
  diskUUID?: string;
  /** Path of the disk. */
  diskPath?: string;
  /** Identities of the backing images to keep, by name. */
  backingImages?: Record<string, string>;
}

/** What the pod keeps. */
export interface BackingImageManagerStatus {
  /** Node whose manager looks after the object. */
  ownerID?: string;
  /** Whether the pod runs. */
  currentState?: string;
  /** Address of the pod. */
  ip?: string;
  /** Address of the pod for data. */
  storageIP?: string;
  /** Version of the API of the pod. */
  apiVersion?: Integer;
  /** Oldest version of the API that it answers to. */
  apiMinVersion?: Integer;
  /** Copies on the disk, by the name of the BackingImage. */
  backingImageFileMap?: Record<string, BackingImageFile> | null;
}

/** A copy that the pod keeps. */
export interface BackingImageFile {
  /** Name of the BackingImage. */
  name?: string;
  /** Identity of the image. */
  uuid?: string;
  /** How far the copy has come. */
  state?: string;
  /** Percent done. */
  progress?: Integer;
  /** Why it failed. */
  message?: string;
  /** Checksum of the copy. */
  currentChecksum?: string;
  /** Bytes of the file. */
  size?: Int64;
  /** Bytes that the file takes. */
  realSize?: Int64;
  /** Bytes of a volume on the image. */
  virtualSize?: Int64;
  /** Address of the pod that the copy comes from. */
  senderManagerAddress?: string;
  /** Number of pods that copy from here. */
  sendingReference?: Integer;
}

export const backingImageManagerType = longhornType<BackingImageManager>('BackingImageManager', 'backingimagemanagers');
