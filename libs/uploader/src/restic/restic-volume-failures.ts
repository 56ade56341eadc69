import { type KnownFailure, resticFailures } from '@lateen/repository';
import { cacheFull, dataMissing, sourceUnreadable, targetNotWritable, volumeFull } from '../known-failures.ts';

/** Ways in which reading a volume with restic fails, before those of the repository. */
export const uploadFailures: readonly KnownFailure[] = [
  cacheFull({ nextStep: 'Give the node more ephemeral storage, or the mover a cache volume (cachePVC).' }),
  ...sourceUnreadable({ pattern: /input\/output error|i\/o error|permission denied/i }),
  ...resticFailures,
];

/** Ways in which filling a volume with restic fails, before those of the repository. */
export const downloadFailures: readonly KnownFailure[] = [
  volumeFull({ nextStep: 'Restore into a larger volume; restic fills the holes of sparse files.' }),
  targetNotWritable,
  dataMissing({
    pattern:
      /(blob|pack|tree|object|key)\b.*(not found|does not exist)|ciphertext verification failed|invalid data returned/i,
    nextStep: 'Verify the repository with restic check; restore missing files from a copy of the bucket.',
  }),
  ...resticFailures,
];

/** Errors that end a restore at once; restic itself would first try all the other files. */
export const hopeless = /no space left on device|disk quota exceeded|read-only file system/i;
