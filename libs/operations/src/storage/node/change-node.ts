import { AppError } from '@lateen/errors';
import type { DiskSpec, LonghornNode, LonghornNodeSpec } from '@lateen/storage-types';
import { checkNodeUpdate } from '@lateen/volume-decisions';
import { changeObject, type StoragePlace, unlessRefused } from '../change-object.ts';
import { nodeNoun } from '../storage-nouns.ts';

/** The changes of a node or disk; fields that are not named stay. */
export interface PlaceChange {
  readonly allowScheduling?: boolean | undefined;
  readonly evictionRequested?: boolean | undefined;
  readonly tags?: readonly string[] | undefined;
}

type Named<T> = { [K in keyof T]?: Exclude<T[K], undefined> };

const named = <T extends object>(change: T): Named<T> =>
  Object.fromEntries(Object.entries(change).filter(([, value]) => value !== undefined)) as Named<T>;

const sortedTags = (tags: readonly string[] | undefined) =>
  tags === undefined ? undefined : [...new Set(tags)].sort();

/** Changes the settings of a node. @returns whether anything was different @throws AppError STORAGE_REFUSED */
export const changeNode = (place: StoragePlace, node: string, change: PlaceChange): Promise<boolean> =>
  changeSpec(place, node, (spec) => ({ ...spec, ...named({ ...change, tags: sortedTags(change.tags) }) }));

export interface DiskChange extends PlaceChange {
  readonly storageReserved?: number | undefined;
}

/** Changes the settings of a disk. @throws AppError STORAGE_REFUSED, NO_SUCH_DISK */
export const changeDisk = (place: StoragePlace, node: string, disk: string, change: DiskChange): Promise<boolean> =>
  changeSpec(place, node, (spec) => {
    const before = diskOf(spec, node, disk);
    const after = { ...before, ...named({ ...change, tags: sortedTags(change.tags) }) };
    return { ...spec, disks: { ...spec.disks, [disk]: after } };
  });

/** Adds a disk; the manager writes its identity. @throws AppError STORAGE_REFUSED, DISK_EXISTS */
export const addDisk = (place: StoragePlace, node: string, disk: string, added: DiskSpec): Promise<boolean> =>
  changeSpec(place, node, (spec) => {
    const same = Object.entries(spec.disks ?? {}).find(([name, { path }]) => name === disk || path === added.path);
    if (same !== undefined)
      throw new AppError('DISK_EXISTS', `node ${node} has disk ${same[0]} at ${same[1].path} already`);
    return { ...spec, disks: { ...spec.disks, [disk]: added } };
  });

/** Removes a disk from a node; the data on it stays. @throws AppError STORAGE_REFUSED, NO_SUCH_DISK */
export const removeDisk = (place: StoragePlace, node: string, disk: string): Promise<boolean> =>
  changeSpec(place, node, (spec) => {
    diskOf(spec, node, disk);
    const { [disk]: _, ...disks } = spec.disks ?? {};
    return { ...spec, disks };
  });

function diskOf(spec: LonghornNodeSpec, node: string, disk: string): DiskSpec {
  const found = spec.disks?.[disk];
  if (found === undefined)
    throw new AppError('NO_SUCH_DISK', `node ${node} has no disk ${disk}`, {
      nextStep: 'List them with: lateen storage disk list',
    });
  return found;
}

async function changeSpec(
  place: StoragePlace,
  name: string,
  change: (spec: LonghornNodeSpec) => LonghornNodeSpec,
): Promise<boolean> {
  const { changed } = await changeObject<LonghornNode>(place, nodeNoun, name, (node) => {
    const after = change(node.spec);
    if (JSON.stringify(after) === JSON.stringify(node.spec)) return undefined;
    unlessRefused(checkNodeUpdate({ name, before: node.spec, after, diskStatus: node.status?.diskStatus ?? {} }));
    return { ...node, spec: after };
  });
  return changed;
}
