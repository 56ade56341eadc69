import type { ContentKind } from './content-kind.ts';

/** A restore: `spec.fromBackup` is the URL of a backup of blocks. */
export const backupContent: ContentKind = {
  name: 'backup',
  isAsked: ({ fromBackup = '' }) => fromBackup !== '',
  refusal:
    'restoring backups of blocks is not supported by this volume manager: make an empty volume and copy the data, or restore a backup of Lateen',
  ticket: 'volume-restore-controller',
  stateOf: ({ status: { restoreInitiated, restoreRequired } = {} }) => {
    if (restoreRequired === true) return 'pending';
    return restoreInitiated === true ? 'there' : 'unmarked';
  },
  because: ({ spec }) =>
    spec.Standby === true
      ? 'it is a standby volume, which follows the backups of another one until it is activated'
      : `its content is being restored from ${spec.fromBackup}`,
  mark: (_, { isFresh }) => ({ restoreInitiated: true, restoreRequired: isFresh }),
  engineSpec: () => ({}),
  next: () => undefined,
};
