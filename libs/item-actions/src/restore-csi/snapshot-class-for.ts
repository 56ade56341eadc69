import { type VolumeSnapshotClass, volumeSnapshotClassType } from '@lateen/api-types';
import { isAppError } from '@lateen/errors';
import { listAll } from '@lateen/kube';
import { chooseClass, snapshotClassKind } from '@lateen/volume-snapshots';
import type { ItemIdentifier } from '../contract/item-identifier.ts';
import type { RestoreActionContext } from '../contract/restore-item-action.ts';
import { perRestore } from '../per-run.ts';

/**
 * The class for a restored snapshot, with the object of the backup that has to be restored if the class is not in the cluster.
 */
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
 * The snapshot's original class, restored from the backup when it is missing; otherwise the driver's class in this cluster. A
 * pre-provisioned snapshot needs no class, so a missing class is no error.
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
