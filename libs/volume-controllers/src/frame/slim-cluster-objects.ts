import type { Node, PersistentVolumeClaim } from '@lateen/api-types';

/** Reduces a node to the fields that are read: it lists all its images and volumes, and its status changes every few seconds. */
export function slimNode({ apiVersion, kind, metadata, spec, status }: Node): Node {
  const { name = '', uid, resourceVersion, labels, annotations, deletionTimestamp } = metadata;
  const { unschedulable, taints } = spec ?? {};
  const { conditions, allocatable, addresses } = status ?? {};
  return {
    apiVersion,
    kind,
    metadata: {
      name,
      ...(uid === undefined ? {} : { uid }),
      ...(resourceVersion === undefined ? {} : { resourceVersion }),
      ...(labels === undefined ? {} : { labels }),
      ...(annotations === undefined ? {} : { annotations }),
      ...(deletionTimestamp === undefined ? {} : { deletionTimestamp }),
    },
    spec: {
      ...(unschedulable === undefined ? {} : { unschedulable }),
      ...(taints === undefined ? {} : { taints }),
    },
    status: {
      ...(conditions === undefined ? {} : { conditions }),
      ...(allocatable === undefined ? {} : { allocatable }),
      ...(addresses === undefined ? {} : { addresses }),
    },
  };
}

/** Reduces a claim to the fields that recurring jobs and backups read. */
export const slimClaim = ({ apiVersion, kind, metadata, spec }: PersistentVolumeClaim): PersistentVolumeClaim => {
  const { name = '', namespace = '', uid, resourceVersion, labels } = metadata;
  const kept = {
    ...(uid === undefined ? {} : { uid }),
    ...(resourceVersion === undefined ? {} : { resourceVersion }),
    ...(labels === undefined ? {} : { labels }),
  };
  const { storageClassName } = spec ?? {};
  return {
    apiVersion,
    kind,
    metadata: { name, namespace, ...kept },
    spec: storageClassName === undefined ? {} : { storageClassName },
  };
};
