import type { DiskSeen } from './disk-seen.ts';

/** Why a disk cannot be used. `lost`: another file system is at its path, so its size and free space mean nothing. */
export interface DiskProblem {
  readonly reason: string;
  readonly message: string;
  readonly lost: boolean;
}

/**
 * The first reason that applies why a disk cannot be used. A disk whose identity is missing is most likely not mounted: its path then
 * shows the parent file system, and data written there would disappear when the disk is mounted again.
 */
export function diskProblem(seen: DiskSeen): DiskProblem | undefined {
  const { node, name, spec, before, found, nodeProblem, conflict } = seen;
  const notReady = `Disk ${name}(${spec.path ?? ''}) on node ${node} is not ready`;
  const problem = (reason: string, why: string, lost: boolean): DiskProblem => ({
    reason,
    message: `${notReady}: ${why}`,
    lost,
  });
  if (spec.diskType === 'block')
    return problem('UnsupportedDiskType', 'disks of type block are not supported by this volume manager', true);
  if (nodeProblem !== undefined) return problem('NodeNotReady', nodeProblem, false);
  if (found === undefined) return problem('NoDiskInfo', 'its instance manager has not reported it yet', false);
  if (found.error !== undefined) return problem('NoDiskInfo', found.error.message, true);
  const recorded = before?.diskUUID ?? '';
  if (recorded !== '' && found.uuid === undefined)
    return problem('DiskFilesystemChanged', `disk ${recorded} is not there: is it mounted?`, true);
  if (recorded !== '' && found.uuid !== recorded)
    return problem('DiskFilesystemChanged', `disk ${found.uuid} is there instead of disk ${recorded}`, true);
  if (conflict !== undefined) return problem('DiskFilesystemChanged', conflict, true);
  if (!found.sparseFiles)
    return problem('UnsupportedFileSystem', `file system ${found.filesystemType} has no sparse files`, false);
  if (found.uuid === undefined) return problem('DiskNotRegistered', 'it has got no identity yet', false);
  return undefined;
}
