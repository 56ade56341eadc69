import { describe, expect, it } from 'vitest';
import { uploaderTypeOf } from './uploader-type.ts';

describe('uploaderTypeOf', () => {
  it.each([
    [undefined, 'kopia'],
    [null, 'kopia'],
    [{}, 'kopia'],
    [{ UploaderType: '' }, 'kopia'],
    [{ UploaderType: 'kopia' }, 'kopia'],
    [{ UploaderType: 'restic' }, 'restic'],
  ])('%j selects %s', (config, type) => expect(uploaderTypeOf(config)).toBe(type));

  it.each(['Restic', 'rsync', 'kopia '])('rejects %j and names both engines', (UploaderType) => {
    expect(() => uploaderTypeOf({ UploaderType })).toThrow(
      expect.objectContaining({
        code: 'UPLOADER_TYPE_UNKNOWN',
        message: expect.stringContaining(`"${UploaderType}"`),
        nextStep: expect.stringMatching(/kopia.*restic/),
      }),
    );
  });
});
