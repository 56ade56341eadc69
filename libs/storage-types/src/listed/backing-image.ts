import type { Int64, Integer, KubeObject } from '@lateen/api-types';
import type { DataEngine } from '../meta/data-engine.ts';
import { longhornType } from '../meta/longhorn-type.ts';
import type { TimeText } from '../meta/scalars.ts';

/** An image that volumes can be layered on. The volume manager lists these and acts on none. */
export interface BackingImage extends KubeObject {
  spec: BackingImageSpec;
  status?: BackingImageStatus;
}

/** Where the content of a backing image comes from. */
export const backingImageSources = ['download', 'upload', 'export-from-volume', 'restore', 'clone'] as const;
export type BackingImageSource = (typeof backingImageSources)[number];

/** What the image is, and where it is kept. */
export interface BackingImageSpec {
  /** Where the content comes from. */
  sourceType?: BackingImageSource;
  /** Further parameters of the source. */
  sourceParameters?: Record<string, string>;
  /** Checksum that the content must have. */
  checksum?: string;
  /**
   * Version of the data path.
   * @default "v1"
   */
  dataEngine?: DataEngine;
  /** Disks that hold a copy, by their identity; from before diskFileSpecMap. */
  disks?: Record<string, string>;
  /** Copies, by the identity of the disk. */
  diskFileSpecMap?: Record<string, BackingImageFileSpec>;
  /** Number of copies to keep. */
  minNumberOfCopies?: Integer;
  /** Tags that a node must have for a copy. */
  nodeSelector?: string[];
  /** Tags that a disk must have for a copy. */
  diskSelector?: string[];
  /** Name of the Secret with the key of the content. */
  secret?: string;
  /** Namespace of that Secret. */
  secretNamespace?: string;
}

/** A copy of the image on one disk. */
export interface BackingImageFileSpec {
  /** Version of the data path. */
  dataEngine?: DataEngine;
  /** Whether the copy is to move away. */
  evictionRequested?: boolean;
}

/** What is known of the image. */
export interface BackingImageStatus {
  /** Node whose manager looks after the object. */
  ownerID?: string;
  /** Identity of the image. */
  uuid?: string;
  /** Checksum of the content. */
  checksum?: string;
  /** Bytes of the file. */
  size?: Int64;
  /** Bytes that the file takes. */
  realSize?: Int64;
  /** Bytes of a volume on the image. */
  virtualSize?: Int64;
  /** Copies, by the identity of the disk. */
  diskFileStatusMap?: Record<string, BackingImageFileStatus> | null;
  /** When each copy was last used, by the identity of the disk. */
  diskLastRefAtMap?: Record<string, TimeText> | null;
  /** Disk with the first copy for v2. */
  v2FirstCopyDisk?: string;
  /** How far the first copy for v2 has come. */
  v2FirstCopyStatus?: string;
}

/** What is known of a copy on one disk. */
export interface BackingImageFileStatus {
  /** Version of the data path. */
  dataEngine?: DataEngine;
  /** How far the copy has come. */
  state?: string;
  /** Percent done. */
  progress?: Integer;
  /** Why it failed. */
  message?: string;
  /** When its state last changed. */
  lastStateTransitionTime?: TimeText;
}

export const backingImageType = longhornType<BackingImage>('BackingImage', 'backingimages');
