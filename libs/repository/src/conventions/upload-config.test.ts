import { describe, expect, it } from 'vitest';
import { checkUploadConfig } from './upload-config.ts';

describe('checkUploadConfig', () => {
  it.each([
    undefined,
    null,
    {},
    { splitter: 'FIXED-4M' },
    { UploaderType: 'restic' },
    { UploaderType: 'restic', splitter: '' },
  ])('accepts %j', (config) => expect(() => checkUploadConfig(config)).not.toThrow());

  it.each([
    [{ UploaderType: 'rsync' }, 'UPLOADER_TYPE_UNKNOWN'],
    [{ splitter: 'FOO' }, 'SPLITTER_UNKNOWN'],
    [{ UploaderType: 'restic', splitter: 'FOO' }, 'SPLITTER_UNKNOWN'],
    [{ UploaderType: 'restic', splitter: 'FIXED-4M' }, 'SPLITTER_UNSUPPORTED'],
  ])('rejects %j: %s', (config, code) => {
    expect(() => checkUploadConfig(config)).toThrow(expect.objectContaining({ code }));
  });
});
