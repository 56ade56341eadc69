import { type KnownFailure, resticFailures } from '@lateen/repository';

/** Ways in which reading a volume with restic fails, before those of the repository. */
export const uploadFailures: readonly KnownFailure[] = [
  {
    pattern: /no space left on device/i,
    code: 'UPLOADER_CACHE_FULL',
    message: () => 'the scratch space of the data-mover pod is full',
    nextStep: 'Give the node more ephemeral storage, or the mover a cache volume (cachePVC).',
    retry: 'later',
  },
  {
    pattern: /input\/output error|i\/o error|permission denied/i,
    code: 'UPLOADER_SOURCE_UNREADABLE',
    message: () => 'a file or directory of the volume cannot be read',
    nextStep: 'The line below names it; check its file system and permissions.',
    retry: 'later',
  },
  ...resticFailures,
];

/** Ways in which filling a volume with restic fails, before those of the repository. */
export const downloadFailures: readonly KnownFailure[] = [
  {
    pattern: /no space left on device|disk quota exceeded/i,
    code: 'UPLOADER_VOLUME_FULL',
    message: () => 'the volume is full',
    nextStep: 'Restore into a larger volume; restic fills the holes of sparse files.',
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
    pattern:
      /(blob|pack|tree|object|key)\b.*(not found|does not exist)|ciphertext verification failed|invalid data returned/i,
    code: 'UPLOADER_DATA_MISSING',
    message: ({ repository }) => `data of the snapshot is missing from ${repository}`,
    nextStep: 'Verify the repository with restic check; restore missing files from a copy of the bucket.',
    retry: 'later',
  },
  ...resticFailures,
];

/** What ends a restore at once: restic itself would go through all the other files first. */
export const hopeless = /no space left on device|disk quota exceeded|read-only file system/i;
