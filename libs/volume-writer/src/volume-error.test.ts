import { describeError } from '@lateen/errors';
import { describe, expect, it } from 'vitest';
import { volumeError } from './volume-error.ts';

const failed = (code: string) => Object.assign(new Error(`${code}: write`), { code });

describe('volumeError', () => {
  it.each([
    ['ENOSPC', 'UPLOADER_VOLUME_FULL', 'never'],
    ['EDQUOT', 'UPLOADER_VOLUME_FULL', 'never'],
    ['EROFS', 'UPLOADER_TARGET_NOT_WRITABLE', 'later'],
    ['EACCES', 'UPLOADER_TARGET_NOT_WRITABLE', 'later'],
    ['ENAMETOOLONG', 'VOLUME_ENTRY_UNFIT', 'never'],
    ['EISDIR', 'VOLUME_ENTRY_IN_WAY', 'never'],
    ['EIO', 'VOLUME_WRITE_FAILED', 'later'],
  ])('of %s is %s', (system, code, retry) => {
    expect(volumeError('writing the file', 'a/b', failed(system))).toMatchObject({
      code,
      retry,
      message: expect.stringContaining('writing the file a/b failed'),
    });
  });

  it('contains what failed, why, and the next step in one line', () => {
    expect(describeError(volumeError('writing the file', 'a/b', failed('ENOSPC')))).toBe(
      'the volume is full: writing the file a/b failed: ENOSPC: write. ' +
        'Restore into a larger volume, or set WriteSparseFiles when the data has holes.',
    );
    expect(volumeError('finishing the folder', '', 'a text').message).toBe(
      'finishing the folder at the root of the volume failed',
    );
  });
});
