import { type VolumeSnapshotClass, volumeSnapshotClassType } from '@lateen/api-types';
import { isAppError } from '@lateen/errors';
import { listAll } from '@lateen/kube';
import { chooseClass, snapshotClassKind } from '@lateen/volume-snapshots';
import type { ItemIdentifier } from '../contract/item-identifier.ts';
import type { RestoreActionContext } from '../contract/restore-item-action.ts';
import { perRestore } from '../per-run.ts';

/** The class for a snapshot that is restored, with the object of the backup that it needs, if it is not in the cluster. */
export interface ClassFor {
  name?: string;
  needed?: ItemIdentifier;
}

export type SnapshotClasses = (
  snapshot: { driver: string; className: string | undefined },
  context: RestoreActionContext,
  signal: AbortSignal,
) => Promise<ClassFor>;

/**
 * The class that the snapshot had, from the backup where it is missing; else the one that the driver has here. A snapshot that is there
 * already needs none, so none is no error.
 */
export function snapshotClassesOf(): SnapshotClasses {
  const present = perRestore(
    async ({ kube }, signal) => (await listAll(kube, volumeSnapshotClassType, { signal })).items,
  );
  return async ({ driver, className = '' }, context, signal) => {
    const classes = await present(context, signal);
    if (classes.some((each) => each.metadata.name === className && each.driver === driver)) return { name: className };
    const { group, resource } = volumeSnapshotClassType;
    const needed = { group, resource, name: className };
    const stored = className === '' ? undefined : await context.archived(needed, signal);
    const isTaken = classes.some((each) => each.metadata.name === className);
    if (stored !== undefined && !isTaken) return { name: className, needed };
    return ofDriver(driver, classes);
  };
}

function ofDriver(driver: string, classes: readonly VolumeSnapshotClass[]): ClassFor {
  try {
    const { name = '' } = chooseClass(snapshotClassKind, driver, classes, undefined).metadata;
    return { name };
  } catch (error) {
    if (isAppError(error)) return {};
    throw error;
  }
}
