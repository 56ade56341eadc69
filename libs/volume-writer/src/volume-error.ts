import { AppError } from '@lateen/errors';

interface VolumeFailure {
  /** Of the system. */
  causes: readonly string[];
  code: string;
  message?: string;
  retry: 'later' | 'never';
  nextStep: string;
}

/** With the words of the engines' runs for what they know too. */
const failures: readonly VolumeFailure[] = [
  {
    causes: ['ENOSPC', 'EDQUOT'],
    code: 'UPLOADER_VOLUME_FULL',
    message: 'the volume is full',
    retry: 'never',
    nextStep: 'Restore into a larger volume, or set WriteSparseFiles when the data has holes.',
  },
  {
    causes: ['EROFS', 'EPERM', 'EACCES'],
    code: 'UPLOADER_TARGET_NOT_WRITABLE',
    message: 'the volume cannot be written to',
    retry: 'later',
    nextStep:
      'Check how the volume is mounted and whether the pod runs as root; an NFS share has to be exported with no_root_squash.',
  },
  {
    causes: ['ENAMETOOLONG', 'EINVAL', 'EILSEQ', 'EFBIG'],
    code: 'VOLUME_ENTRY_UNFIT',
    message: 'the file system of the volume does not take an entry',
    retry: 'never',
    nextStep: 'Restore into a volume with the kind of file system that was backed up.',
  },
  {
    causes: ['EISDIR', 'ENOTDIR', 'ENOTEMPTY'],
    code: 'VOLUME_ENTRY_IN_WAY',
    message: 'an entry of another kind is in the way',
    retry: 'never',
    nextStep: 'Remove it, or set DeleteExtraFiles, which makes the volume as it was.',
  },
];

const otherFailure: VolumeFailure = {
  causes: [],
  code: 'VOLUME_WRITE_FAILED',
  retry: 'later',
  nextStep: 'Check the storage of the volume; the kernel log of the node may say more.',
};

/** Why an entry of a volume could not be written; `doing` is what was tried: `writing the file`. */
export function volumeError(doing: string, path: string, cause: unknown): AppError {
  const systemCode = (cause as NodeJS.ErrnoException).code ?? '';
  const { code, message, retry, nextStep } = failures.find(({ causes }) => causes.includes(systemCode)) ?? otherFailure;
  const what = path === '' ? `${doing} at the root of the volume failed` : `${doing} ${path} failed`;
  return new AppError(code, message === undefined ? what : `${message}: ${what}`, { cause, retry, nextStep });
}
