import type { Int64, Integer, KubeObject } from '@lateen/api-types';
import { longhornType } from '../meta/longhorn-type.ts';
import type { BackingImageSource } from './backing-image.ts';

/**
 * First copy of a backing image, while it is created. Lateen ignores objects of this kind; it exists so that clients of Longhorn can list
 * it.
 */
export interface BackingImageDataSource extends KubeObject {
  spec: BackingImageDataSourceSpec;
  status?: BackingImageDataSourceStatus;
}

/** What is copied, and to which disk. */
export interface BackingImageDataSourceSpec {
  /** Identity of the backing image. */
  uuid?: string;
  /** Where the content comes from: `download`, `upload`, `export-from-volume`, `restore` or `clone`. */
  sourceType?: BackingImageSource;
  /** Settings of the source, as text, such as the URL of a download. */
  parameters?: Record<string, string>;
  /** Checksum that the content must have. Empty: it is not checked. */
  checksum?: string;
  /** Name of the node that has the disk. */
  nodeID?: string;
  /** Identity of the disk that stores the copy. */
  diskUUID?: string;
  /** Path of the disk on its node. */
  diskPath?: string;
  /** `true`: the file was handed over to the pod that manages backing images. */
  fileTransferred?: boolean;
}

/** Progress of the copy. */
export interface BackingImageDataSourceStatus {
  /** Name of the node whose volume manager processes this object. */
  ownerID?: string;
  /** State of the copy, such as `in-progress`, `ready` or `failed`. */
  currentState?: string;
  /** Progress in percent, 0 to 100. */
  progress?: Integer;
  /** Size of the file in bytes. */
  size?: Int64;
  /** Checksum of the content. */
  checksum?: string;
  /** Why the copy failed. Empty: no error. */
  message?: string;
  /** Settings of the source when the copy started. */
  runningParameters?: Record<string, string> | null;
  /** IP address of the pod that copies. */
  ip?: string;
  /** IP address that this pod uses for data. */
  storageIP?: string;
}

export const backingImageDataSourceType = longhornType<BackingImageDataSource>(
  'BackingImageDataSource',
  'backingimagedatasources',
);
