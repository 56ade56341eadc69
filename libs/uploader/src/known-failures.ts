import type { KnownFailure } from '@lateen/repository';
import { unreadableAdvice } from './unreadable-source.ts';

/** The parts of a known failure that differ between engines. */
type EngineWords<K extends keyof KnownFailure> = Pick<KnownFailure, K>;

export const cacheFull = ({ nextStep }: EngineWords<'nextStep'>): KnownFailure => ({
  pattern: /no space left on device/i,
  code: 'UPLOADER_CACHE_FULL',
  message: () => 'the scratch space of the data-mover pod is full',
  nextStep,
  retry: 'later',
});

/** Failures with specific advice come first. */
export const sourceUnreadable = ({ pattern }: EngineWords<'pattern'>): KnownFailure[] => [
  ...unreadableAdvice.map(unreadable),
  unreadable({ pattern, nextStep: 'The line below names it; check its file system and permissions.' }),
];

const unreadable = ({ pattern, nextStep }: EngineWords<'pattern' | 'nextStep'>): KnownFailure => ({
  pattern,
  code: 'UPLOADER_SOURCE_UNREADABLE',
  message: () => 'a file or directory of the volume cannot be read',
  nextStep,
  retry: 'later',
});

export const volumeFull = ({ nextStep }: EngineWords<'nextStep'>): KnownFailure => ({
  pattern: /no space left on device|disk quota exceeded/i,
  code: 'UPLOADER_VOLUME_FULL',
  message: () => 'the volume is full',
  nextStep,
  retry: 'never',
});

export const targetNotWritable: KnownFailure = {
  pattern: /read-only file system|operation not permitted/i,
  code: 'UPLOADER_TARGET_NOT_WRITABLE',
  message: () => 'the volume cannot be written to',
  nextStep:
    'Check how the volume is mounted and whether the pod runs as root; an NFS share has to be exported with no_root_squash.',
  retry: 'later',
};

export const dataMissing = ({ pattern, nextStep }: EngineWords<'pattern' | 'nextStep'>): KnownFailure => ({
  pattern,
  code: 'UPLOADER_DATA_MISSING',
  message: ({ repository }) => `data of the snapshot is missing from ${repository}`,
  nextStep,
  retry: 'later',
});
