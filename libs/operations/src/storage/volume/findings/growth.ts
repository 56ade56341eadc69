import { byteSize } from '@lateen/errors';
import { int64Of } from '@lateen/storage-types';
import { roomForWrites } from '@lateen/volume-decisions';
import type { FindIn } from './finding.ts';

/** A volume that is smaller than requested. */
export const growth: FindIn = ({ volume, engine }) => {
  const { expansionRequired, state } = volume.status ?? {};
  const { isExpanding, lastExpansionError = '', lastExpansionFailedAt = '' } = engine?.status ?? {};
  if (lastExpansionError !== '')
    return [
      {
        reason: 'ExpansionFailed',
        weight: 'trouble',
        text: `it could not grow${lastExpansionFailedAt === '' ? '' : ` at ${lastExpansionFailedAt}`}: ${lastExpansionError}`,
      },
    ];
  if (expansionRequired !== true && isExpanding !== true) return [];
  const [from, to] = [engine?.status?.currentSize, volume.spec.size].map((text) => Number(int64Of(text) ?? 0n));
  const sizes =
    from === undefined || from === 0 || to === undefined ? '' : ` from ${byteSize(from)} to ${byteSize(to)}`;
  const text =
    state === 'attached' || isExpanding === true ? `it is growing${sizes}` : `it grows${sizes} when it is attached`;
  return [{ reason: 'Expanding', weight: 'waits', text }];
};

/** Writes that fail because the only replica has no free space. */
export const room: FindIn = ({ engine }) => {
  const refuses = engine?.status?.conditions?.find(({ type, status }) => type === roomForWrites && status === 'False');
  if (refuses === undefined) return [];
  const next = 'Make room on the disk of that replica, or delete snapshots: lateen storage snapshot list';
  return [{ reason: 'NoRoom', weight: 'trouble', text: refuses.message ?? '', next }];
};

/** The space of snapshots, and why removed ones still exist. */
export const snapshots: FindIn = ({ volume, engine, space, snapshots: objects }) => {
  const many = volume.status?.conditions?.find(({ type }) => type === 'TooManySnapshots');
  const unreadable = engine?.status?.snapshotsError ?? '';
  const wrong = objects.filter(({ status }) => (status?.error ?? '') !== '');
  const over = space.sizeBytes > 0 && space.actualBytes > space.sizeBytes;
  return [
    ...(many?.status === 'True'
      ? [
          {
            reason: 'TooManySnapshots',
            weight: 'trouble',
            text: many.message ?? '',
            next: 'Delete some: lateen storage snapshot list',
          } as const,
        ]
      : []),
    ...(unreadable === ''
      ? []
      : [
          {
            reason: 'SnapshotsUnreadable',
            weight: 'trouble',
            text: `its snapshots cannot be listed: ${unreadable}`,
          } as const,
        ]),
    ...wrong.map(
      ({ metadata, status }) =>
        ({ reason: 'SnapshotError', weight: 'trouble', text: `snapshot ${metadata.name}: ${status?.error}` }) as const,
    ),
    ...(over
      ? [
          {
            reason: 'LargerThanItsSize',
            weight: 'trouble',
            text: `each replica takes ${byteSize(space.actualBytes)}, more than the ${byteSize(space.sizeBytes)} of the volume: snapshots hold the rest`,
            next: 'Delete snapshots that nobody needs: lateen storage snapshot list',
          } as const,
        ]
      : []),
  ];
};

/** Replicas that have to move to another place. */
export const eviction: FindIn = ({ standings }) =>
  standings
    .filter(({ leaves, state }) => leaves && state !== 'deleting')
    .map(({ name, node }) => ({
      reason: 'Evicting',
      weight: 'waits',
      text: `${name} is to leave ${node}: it is deleted when another replica has all the data`,
    }));
