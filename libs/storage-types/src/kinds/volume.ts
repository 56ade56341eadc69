import type { KubeObject } from '@lateen/api-types';
import { longhornType } from '../meta/longhorn-type.ts';
import type { VolumeSpec } from './volume-spec.ts';
import type { VolumeStatus } from './volume-status.ts';

/** A block device whose data is stored in replicas on several nodes. */
export interface Volume extends KubeObject {
  spec: VolumeSpec;
  status?: VolumeStatus;
}

export const volumeType = longhornType<Volume>('Volume', 'volumes');
