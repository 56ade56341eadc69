import { orphanParameters } from '@lateen/storage-types';
import type { OrphanSeen } from './orphan-seen.ts';

/** Why a folder or process without an object is kept. */
export interface Kept {
  readonly reason: string;
  readonly message: string;
}

/**
 * Why a folder or process must not be deleted; undefined when it may be. Whatever is not known for certain counts as a reason: the folder
 * may be the last copy of a volume whose objects are being restored.
 */
export function whyKept(seen: OrphanSeen): Kept | undefined {
  const { orphan, nodeProblem, diskProblem, owner } = seen;
  if (nodeProblem !== undefined) return { reason: 'NodeUnavailable', message: nodeProblem };
  if (owner !== undefined) return { reason: 'InUse', message: `it belongs to ${owner}` };
  if (orphan.spec.orphanType !== 'replica') return instanceKept(seen);
  if (diskProblem !== undefined) return { reason: 'DiskInvalid', message: diskProblem };
  return folderKept(seen);
}

function folderKept({ folder, volumes }: OrphanSeen): Kept | undefined {
  if (folder === undefined) return { reason: 'NotLookedAt', message: 'the folder has not been looked at yet' };
  if (folder === 'gone') return { reason: 'DataGone', message: 'the folder is not there any more' };
  const { volume } = folder;
  if (volume === undefined)
    return { reason: 'RecordUnreadable', message: 'the folder has no replica.json that can be read' };
  if (volumes === undefined) return { reason: 'NotLookedAt', message: 'not all volumes have been read yet' };
  if (volumes.has(volume))
    return { reason: 'VolumeExists', message: `its replica.json names volume ${volume}, which exists` };
  return undefined;
}

function instanceKept({ orphan, instance }: OrphanSeen): Kept | undefined {
  if (instance === undefined) return { reason: 'NotLookedAt', message: 'the node has not been asked yet' };
  if (instance === 'gone') return { reason: 'InstanceGone', message: 'the process does not run any more' };
  const uuid = orphan.spec.parameters?.[orphanParameters.instanceUuid] ?? '';
  if (uuid !== instance.uuid) return { reason: 'OtherInstance', message: 'another process runs under this name now' };
  return undefined;
}
