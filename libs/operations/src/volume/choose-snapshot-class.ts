import type { PersistentVolumeClaim, VolumeSnapshotClass } from '@lateen/api-types';
import { AppError } from '@lateen/errors';

const classAnnotation = 'velero.io/csi-volumesnapshot-class';
const defaultClassAnnotation = 'snapshot.storage.kubernetes.io/is-default-class';

/**
 * The VolumeSnapshotClass for a PVC whose StorageClass is provisioned by `driver`, in the order of data-movement.md
 * section 2: named by the caller, PVC annotation, class with Velero's label, class marked default, the only class of the driver.
 * @throws AppError SNAPSHOT_CLASS_NOT_FOUND | SNAPSHOT_CLASS_AMBIGUOUS, naming the driver and the classes
 */
export function chooseSnapshotClass(
  pvc: PersistentVolumeClaim,
  driver: string,
  classes: readonly VolumeSnapshotClass[],
  named?: string,
): VolumeSnapshotClass {
  const ofDriver = classes.filter((each) => each.driver === driver);
  const wanted = named ?? pvc.metadata.annotations?.[classAnnotation];
  if (wanted !== undefined) return namedClass(wanted, driver, classes);
  const chosen =
    ofDriver.find((each) => each.metadata.labels?.[classAnnotation] !== undefined) ??
    ofDriver.find((each) => each.metadata.annotations?.[defaultClassAnnotation] !== undefined);
  if (chosen !== undefined) return chosen;
  const [only, ...others] = ofDriver;
  if (only === undefined)
    throw new AppError('SNAPSHOT_CLASS_NOT_FOUND', `no VolumeSnapshotClass has the driver ${driver}`, {
      nextStep: `Create one for ${driver}, or choose a PVC whose driver can take snapshots.`,
    });
  if (others.length > 0)
    throw new AppError(
      'SNAPSHOT_CLASS_AMBIGUOUS',
      `${ofDriver.length} VolumeSnapshotClasses have the driver ${driver}: ${ofDriver.map((each) => each.metadata.name).join(', ')}`,
      { nextStep: `Choose one with --snapshot-class, or label one with ${classAnnotation}=true.` },
    );
  return only;
}

function namedClass(name: string, driver: string, classes: readonly VolumeSnapshotClass[]): VolumeSnapshotClass {
  const found = classes.find((each) => each.metadata.name === name);
  if (found === undefined)
    throw new AppError('SNAPSHOT_CLASS_NOT_FOUND', `VolumeSnapshotClass "${name}" does not exist`, {
      nextStep: `The classes are: ${classes.map((each) => each.metadata.name).join(', ') || 'none'}.`,
    });
  if (found.driver !== driver)
    throw new AppError(
      'SNAPSHOT_CLASS_NOT_FOUND',
      `VolumeSnapshotClass "${name}" is of driver ${found.driver}, but the volume is of driver ${driver}`,
      { nextStep: `Choose a class of ${driver}.` },
    );
  return found;
}
