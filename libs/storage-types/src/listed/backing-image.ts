import type { Int64, Integer, KubeObject } from '@lateen/api-types';
import type { DataEngine } from '../meta/data-engine.ts';
import { longhornType } from '../meta/longhorn-type.ts';
import type { TimeText } from '../meta/scalars.ts';

/** An image that volumes can be based on. Lateen ignores objects of this kind; it exists so that clients of Longhorn can list it. */
export interface BackingImage extends KubeObject {
  spec: BackingImageSpec;
  status?: BackingImageStatus;
}

/** Where the content of a backing image comes from. */
export const backingImageSources = ['download', 'upload', 'export-from-volume', 'restore', 'clone'] as const;
export type BackingImageSource = (typeof backingImageSources)[number];

/** Where the content comes from, and where copies are stored. */
export interface BackingImageSpec {
  /** Where the content comes from: `download`, `upload`, `export-from-volume`, `restore` or `clone`. */
  sourceType?: BackingImageSource;
  /** Settings of the source, as text, such as the URL of a download. */
  sourceParameters?: Record<string, string>;
  /** Checksum that the content must have. Empty: it is not checked. */
  checksum?: string;
  /**
   * Data engine that uses the image: `v1` or `v2`.
   * @default "v1"
   */
  dataEngine?: DataEngine;
  /** Deprecated: use diskFileSpecMap. Disks that should have a copy. Key: identity of the disk. */
  disks?: Record<string, string>;
  /** Disks that should have a copy. Key: identity of the disk. */
  diskFileSpecMap?: Record<string, BackingImageFileSpec>;
  /** Number of copies to keep. */
  minNumberOfCopies?: Integer;
  /** Tags that a node must have, all of them, to get a copy. Empty: any node. */
  nodeSelector?: string[];
  /** Tags that a disk must have, all of them, to get a copy. Empty: any disk. */
  diskSelector?: string[];
  /** Name of the Secret with the key that encrypts the content. Empty: it is not encrypted. */
  secret?: string;
  /** Namespace of that Secret. */
  secretNamespace?: string;
}

/** Settings of the copy on one disk. */
export interface BackingImageFileSpec {
  /** Data engine that uses the copy: `v1` or `v2`. */
  dataEngine?: DataEngine;
  /** `true`: the copy leaves the disk when another disk has it. */
  evictionRequested?: boolean;
}

/** State of the backing image and its copies. */
export interface BackingImageStatus {
  /** Name of the node whose volume manager processes this object. */
  ownerID?: string;
  /** Identity of the backing image. */
  uuid?: string;
  /** Checksum of the content. */
  checksum?: string;
  /** Size of the file in bytes. */
  size?: Int64;
  /** Space that the file takes on a disk, in bytes. */
  realSize?: Int64;
  /** Size in bytes of a volume that is created from the image. */
  virtualSize?: Int64;
  /** State of each copy. Key: identity of the disk. */
  diskFileStatusMap?: Record<string, BackingImageFileStatus> | null;
  /** When each copy was last used. Key: identity of the disk. */
  diskLastRefAtMap?: Record<string, TimeText> | null;
  /** Identity of the disk with the first copy for the data engine v2. */
  v2FirstCopyDisk?: string;
  /** State of the first copy for the data engine v2. */
  v2FirstCopyStatus?: string;
}

/** State of the copy on one disk. */
export interface BackingImageFileStatus {
  /** Data engine that uses the copy: `v1` or `v2`. */
  dataEngine?: DataEngine;
  /** State of the copy, such as `in-progress`, `ready` or `failed`. */
  state?: string;
  /** Progress in percent, 0 to 100. */
  progress?: Integer;
  /** Why the copy failed. Empty: no error. */
  message?: string;
  /** When the state of the copy last changed. */
  lastStateTransitionTime?: TimeText;
}

export const backingImageType = longhornType<BackingImage>('BackingImage', 'backingimages');
