import type { DiskFacts as FoundDisk } from '@lateen/block-engine';

export interface DiskOfNode {
  readonly name: string;
  /** `status.diskUUID` so far; "" for a new disk. */
  readonly recordedUuid: string;
  readonly found?: FoundDisk | undefined;
}

/**
 * Which disks of a node are refused because another one has their file system, whose free space would count twice, or their identity; with the reason
 * by name of the disk. The disk that was in use stays, the added one is refused; among equals the first by name stays. A disk that is not the
 * recorded one is ignored: its path most likely shows the file system of another disk.
 */
export function diskConflicts(disks: readonly DiskOfNode[]): ReadonlyMap<string, string> {
  const conflicts = new Map<string, string>();
  const kept: DiskOfNode[] = [];
  const isNew = ({ recordedUuid }: DiskOfNode): number => (recordedUuid === '' ? 1 : 0);
  const real = disks
    .filter(({ recordedUuid, found }) => {
      if (found === undefined || found.error !== undefined) return false;
      return recordedUuid === '' || found.uuid === recordedUuid;
    })
    .sort((a, b) => isNew(a) - isNew(b) || (a.name < b.name ? -1 : 1));
  for (const disk of real) {
    const why = kept.map((first) => sharedBy(disk, first)).find((each) => each !== undefined);
    if (why === undefined) kept.push(disk);
    else conflicts.set(disk.name, why);
  }
  return conflicts;
}

function sharedBy({ found }: DiskOfNode, first: DiskOfNode): string | undefined {
  const id = found?.filesystemId ?? '';
  if (id !== '' && id === first.found?.filesystemId)
    return `disk has same file system ID ${id} as disk ${first.name}; one disk per file system`;
  const uuid = found?.uuid;
  return uuid !== undefined && uuid === first.found?.uuid
    ? `it has the identity ${uuid} of disk ${first.name}: it is a copy of it`
    : undefined;
}
