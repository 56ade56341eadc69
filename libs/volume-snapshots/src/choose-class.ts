import { annotations, type KubeObject, labels } from '@lateen/api-types';
import { AppError } from '@lateen/errors';

/** A class of snapshots: its driver takes them. */
export interface SnapshotClass extends KubeObject {
  driver: string;
}

export interface ClassKind {
  kind: 'VolumeSnapshotClass' | 'VolumeGroupSnapshotClass';
  /** The label by which backups are told to use a class, whatever its value. */
  label: string;
  /** Marks the default of a driver; only that it is there counts. */
  defaultAnnotation: string;
}

export const snapshotClassKind: ClassKind = {
  kind: 'VolumeSnapshotClass',
  label: labels.csiVolumeSnapshotClass,
  defaultAnnotation: annotations.isDefaultSnapshotClass,
};

export const groupSnapshotClassKind: ClassKind = {
  kind: 'VolumeGroupSnapshotClass',
  label: labels.csiVolumeGroupSnapshotClass,
  defaultAnnotation: annotations.isDefaultGroupSnapshotClass,
};

/**
 * The class to take a snapshot with, of those of the driver: the one that is named, the one with Velero's label, the one
 * marked default, the only one (data-movement.md section 2).
 * @throws AppError SNAPSHOT_CLASS_NOT_FOUND | SNAPSHOT_CLASS_AMBIGUOUS, naming the driver and the classes
 */
export function chooseClass<C extends SnapshotClass>(
  kind: ClassKind,
  driver: string,
  classes: readonly C[],
  named: string | undefined,
): C {
  if (named !== undefined && named !== '') return namedClass(kind, named, driver, classes);
  const ofDriver = classes.filter((each) => each.driver === driver);
  const chosen =
    ofDriver.find((each) => each.metadata.labels?.[kind.label] !== undefined) ??
    ofDriver.find((each) => each.metadata.annotations?.[kind.defaultAnnotation] !== undefined);
  if (chosen !== undefined) return chosen;
  const [only, ...others] = ofDriver;
  if (only === undefined)
    throw new AppError('SNAPSHOT_CLASS_NOT_FOUND', `no ${kind.kind} has the driver ${driver}`, {
      nextStep: `Create one for ${driver}, or choose a volume whose driver can take such snapshots.`,
    });
  if (others.length > 0)
    throw new AppError(
      'SNAPSHOT_CLASS_AMBIGUOUS',
      `${ofDriver.length} ${kind.kind}es have the driver ${driver}: ${namesOf(ofDriver)}`,
      { nextStep: `Label one with ${kind.label}=true, or name one.` },
    );
  return only;
}

function namedClass<C extends SnapshotClass>(
  { kind }: ClassKind,
  name: string,
  driver: string,
  classes: readonly C[],
): C {
  const found = classes.find((each) => each.metadata.name === name);
  if (found === undefined)
    throw new AppError('SNAPSHOT_CLASS_NOT_FOUND', `${kind} "${name}" does not exist`, {
      nextStep: `The classes are: ${namesOf(classes) || 'none'}.`,
    });
  if (found.driver !== driver)
    throw new AppError(
      'SNAPSHOT_CLASS_NOT_FOUND',
      `${kind} "${name}" is of driver ${found.driver}, but the volume is of driver ${driver}`,
      { nextStep: `Choose a class of ${driver}.` },
    );
  return found;
}

const namesOf = (classes: readonly SnapshotClass[]): string => classes.map((each) => each.metadata.name).join(', ');
