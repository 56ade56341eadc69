import { AppError } from '@lateen/errors';
import { type KnownFailure, repositoryFailures } from '@lateen/repository';
import { cacheFull, dataMissing, sourceUnreadable, targetNotWritable, volumeFull } from './known-failures.ts';

/** Ways in which reading a volume fails, before those of the repository. */
export const uploadFailures: readonly KnownFailure[] = [
  cacheFull({
    nextStep: 'Give the node more ephemeral storage, or lower cacheLimitMB in the backup repository configuration.',
  }),
  ...sourceUnreadable({
    pattern: /input\/output error|permission denied|unable to open (local )?(file|directory)|unable to read directory/i,
  }),
  ...repositoryFailures,
];

/** Ways in which filling a volume fails, before those of the repository. */
export const downloadFailures: readonly KnownFailure[] = [
  volumeFull({ nextStep: 'Restore into a larger volume, or set WriteSparseFiles when the data has holes.' }),
  targetNotWritable,
  dataMissing({
    pattern: /(manifest|content|object|BLOB)\b.* not found/i,
    nextStep: 'Verify the repository with kopia snapshot verify; restore missing blobs from a copy of the bucket.',
  }),
  ...repositoryFailures,
];

const noSuchSnapshot = {
  code: 'SNAPSHOT_NOT_FOUND',
  message: ({ repository }: { repository: string }) => `the repository has no such snapshot: ${repository}`,
  nextStep: 'It may have been deleted with its Backup, or belong to the repository of another namespace.',
  retry: 'never',
} as const;

/** The same error for a restore without the engine. */
export const snapshotNotFound = (repository: string, cause: unknown): AppError => {
  const { code, message, retry, nextStep } = noSuchSnapshot;
  return new AppError(code, message({ repository }), { cause, retry, nextStep });
};

/** Failures while the snapshot for a restore is looked up. */
export const snapshotLookupFailures: readonly KnownFailure[] = [
  { ...noSuchSnapshot, pattern: /error getting metadata.*not found/i },
  ...repositoryFailures,
];
