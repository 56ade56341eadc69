import { type KnownFailure, repositoryFailures } from '@lateen/repository';

/** Ways in which reading a volume fails, before those of the repository. */
export const uploadFailures: readonly KnownFailure[] = [
  {
    pattern: /no space left on device/i,
    code: 'UPLOADER_CACHE_FULL',
    message: () => 'the scratch space of the data-mover pod is full',
    nextStep: 'Give the node more ephemeral storage, or lower cacheLimitMB in the backup repository configuration.',
    retry: 'later',
  },
  {
    pattern: /input\/output error|permission denied|unable to open (local )?(file|directory)|unable to read directory/i,
    code: 'UPLOADER_SOURCE_UNREADABLE',
    message: () => 'a file or directory of the volume cannot be read',
    nextStep: 'The line below names it; check its file system and permissions.',
    retry: 'later',
  },
  ...repositoryFailures,
];

/** Ways in which filling a volume fails, before those of the repository. */
export const downloadFailures: readonly KnownFailure[] = [
  {
    pattern: /no space left on device|disk quota exceeded/i,
    code: 'UPLOADER_VOLUME_FULL',
    message: () => 'the volume is full',
    nextStep: 'Restore into a larger volume, or set WriteSparseFiles when the data has holes.',
    retry: 'never',
  },
  {
    pattern: /read-only file system|operation not permitted/i,
    code: 'UPLOADER_TARGET_NOT_WRITABLE',
    message: () => 'the volume cannot be written to',
    nextStep: 'Check how the volume is mounted and whether the pod runs as root.',
    retry: 'later',
  },
  {
    pattern: /(manifest|content|object|BLOB)\b.* not found/i,
    code: 'UPLOADER_DATA_MISSING',
    message: ({ repository }) => `data of the snapshot is missing from ${repository}`,
    nextStep: 'Verify the repository with kopia snapshot verify; restore missing blobs from a copy of the bucket.',
    retry: 'later',
  },
  ...repositoryFailures,
];

/** Looking up the snapshot that is to be restored. */
export const snapshotLookupFailures: readonly KnownFailure[] = [
  {
    pattern: /error getting metadata.*not found/i,
    code: 'SNAPSHOT_NOT_FOUND',
    message: ({ repository }) => `the repository has no such snapshot: ${repository}`,
    nextStep: 'It may have been deleted with its Backup, or belong to the repository of another namespace.',
    retry: 'never',
  },
  ...repositoryFailures,
];
