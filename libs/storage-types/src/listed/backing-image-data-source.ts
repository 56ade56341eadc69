import type { Int64, Integer, KubeObject } from '@lateen/api-types';
import { longhornType } from '../meta/longhorn-type.ts';
import type { BackingImageSource } from './backing-image.ts';

/** The first copy of a backing image while it is made. The volume manager lists these and acts on none. */
export interface BackingImageDataSource extends KubeObject {
  spec: BackingImageDataSourceSpec;
  status?: BackingImageDataSourceStatus;
}

/** What is copied, and to which disk. */
export interface BackingImageDataSourceSpec {
  /** Identity of the image. */
  uuid?: string;
  /** Where the content comes from. */
  sourceType?: BackingImageSource;
  /** Further parameters of the source. */
  parameters?: Record<string, string>;
  /** Checksum that the content must have. */
  checksum?: string;
  /** Node of the disk. */
  nodeID?: string;
  /** Identity of the disk. */
  diskUUID?: string;
  /** Path of the disk. */
  diskPath?: string;
  /** Whether the file has been handed over. */
  fileTransferred?: boolean;
}

/** How far the copy has come. */
export interface BackingImageDataSourceStatus {
  /** Node whose manager looks after the object. */
  ownerID?: string;
  /** How far the copy has come. */
  currentState?: string;
  /** Percent done. */
  progress?: Integer;
  /** Bytes of the file. */
  size?: Int64;
  /** Checksum of the content. */
  checksum?: string;
  /** Why the copy failed. */
  message?: string;
  /** Parameters that the copy was begun with. */
  runningParameters?: Record<string, string> | null;
  /** Address of the pod that copies. */
  ip?: string;
  /** Address of that pod for data. */
  storageIP?: string;
}

export const backingImageDataSourceType = longhornType<BackingImageDataSource>(
  'BackingImageDataSource',
  'backingimagedatasources',
);
