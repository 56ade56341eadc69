import type { KubeObject } from '../meta/kube-object.ts';
import { coreType } from './core-type.ts';

/** That a volume is to be, and is, attached to a node. */
export interface VolumeAttachment extends KubeObject {
  spec: {
    attacher: string;
    nodeName: string;
    source: { persistentVolumeName?: string; [field: string]: unknown };
  };
  status?: { attached: boolean; [field: string]: unknown };
}

export const volumeAttachmentType = coreType<VolumeAttachment>(
  'storage.k8s.io/v1',
  'VolumeAttachment',
  'volumeattachments',
  false,
);
