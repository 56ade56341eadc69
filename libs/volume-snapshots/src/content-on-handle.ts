import { annotations, labels, snapshotGroup, type VolumeSnapshotContent } from '@lateen/api-types';
import { AppError } from '@lateen/errors';

/** What the snapshotter notes while it works on a content, and that it is one of a group; not true of another content. */
const ownNotes: readonly string[] = [
  annotations.snapshotBeingCreated,
  annotations.snapshotBeingDeleted,
  annotations.groupSnapshotHandleOfContent,
];

export interface NewContent {
  name: string;
  /** The VolumeSnapshot that it is for, which does not exist yet. */
  snapshot: { namespace: string; name: string };
  labels?: Readonly<Record<string, string>>;
  annotations?: Readonly<Record<string, string>>;
}

/** The handle of the snapshot on the storage; undefined until the driver has taken it. */
export function handleOf({ spec, status }: VolumeSnapshotContent): string | undefined {
  return status?.snapshotHandle || spec.source.snapshotHandle || undefined;
}

/**
 * Another content for the snapshot that `source` has, which it takes over: with it the snapshot goes from the storage. It
 * names its VolumeSnapshot without a uid and is created first; the snapshotter then binds the two as soon as the second
 * appears, instead of failing once and backing off.
 * @throws AppError NO_SNAPSHOT_HANDLE
 */
export function contentOnHandle(source: VolumeSnapshotContent, made: NewContent): VolumeSnapshotContent {
  const snapshotHandle = handleOf(source);
  if (snapshotHandle === undefined)
    throw new AppError('NO_SNAPSHOT_HANDLE', `VolumeSnapshotContent ${source.metadata.name} has no snapshot handle`, {
      retry: 'later',
    });
  const managedBy = source.metadata.labels?.[labels.managedBy];
  const notes = Object.entries(source.metadata.annotations ?? {}).filter(([key]) => !ownNotes.includes(key));
  const { driver, volumeSnapshotClassName, sourceVolumeMode } = source.spec;
  return {
    apiVersion: `${snapshotGroup}/v1`,
    kind: 'VolumeSnapshotContent',
    metadata: {
      name: made.name,
      labels: { ...made.labels, ...(managedBy === undefined ? {} : { [labels.managedBy]: managedBy }) },
      annotations: { ...Object.fromEntries(notes), ...made.annotations },
    },
    spec: {
      deletionPolicy: 'Delete',
      driver,
      source: { snapshotHandle },
      volumeSnapshotRef: { apiVersion: `${snapshotGroup}/v1`, kind: 'VolumeSnapshot', ...made.snapshot },
      ...(volumeSnapshotClassName === undefined ? {} : { volumeSnapshotClassName }),
      ...(sourceVolumeMode === undefined ? {} : { sourceVolumeMode }),
    },
  };
}
