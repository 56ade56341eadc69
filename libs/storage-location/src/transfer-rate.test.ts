import { aBackupStorageLocation } from '@lateen/testing';
import { describe, expect, it } from 'vitest';
import { resolveLocation } from './resolve-location.ts';
import { kopiaPauseSeconds, readTransferRate } from './transfer-rate.ts';

describe('readTransferRate', () => {
  it.each([
    ['10Mi', 10 * 2 ** 20],
    ['5000000', 5_000_000],
    ['+1.5M', 1_500_000],
    ['1Ki', 1_024],
    ['1024.5', 1_025],
    ['2e6', 2_000_000],
    ['1Pi', 2 ** 50],
  ])('%s is %d bytes per second', (text, bytesPerSecond) => expect(readTransferRate(text)).toEqual({ bytesPerSecond }));

  it.each([
    ['', 'is not a quantity'],
    ['10MB', 'is not a quantity'],
    ['10 Mi', 'is not a quantity'],
    ['Infinity', 'is not a quantity'],
    ['0', 'is not above 0'],
    ['-5M', 'is not above 0'],
    ['1023', 'is less than 1Ki'],
    ['10m', 'is less than 1Ki'],
    ['2Pi', 'is more than 1Pi'],
    ['1e1000', 'is more than 1Pi'],
  ])('%j %s', (text, wrong) => expect(readTransferRate(text)).toEqual({ wrong }));
});

it.each([
  [undefined, 0],
  [2 ** 20, 0],
  [326 * 1_024, 0],
  [200 * 1_024, 38],
  [48 * 1_024, 347],
])('with a download limit of %s bytes, kopia waits %d s for each read', (downloadBytesPerSecond, seconds) =>
  expect(kopiaPauseSeconds(downloadBytesPerSecond === undefined ? {} : { downloadBytesPerSecond })).toBe(seconds),
);

describe('the rates of a location', () => {
  const keys = '[default]\naws_access_key_id=A\naws_secret_access_key=S\n';
  const resolve = (annotations: Record<string, string>, spec = {}) =>
    resolveLocation(aBackupStorageLocation({ annotations, spec }), { credentials: keys, credentialsFrom: 'Secret' });
  const up = 'lateen.dev/upload-bytes-per-second';
  const down = 'lateen.dev/download-bytes-per-second';

  it('are read from its annotations, for every provider', () => {
    expect(resolve({ [up]: '1Mi', [down]: '2Mi' })).toMatchObject({
      uploadBytesPerSecond: 2 ** 20,
      downloadBytesPerSecond: 2 ** 21,
    });
    const directory = { provider: 'velero.io/fs', config: { fspath: '/data' } };
    expect(resolve({ [down]: '1M' }, directory)).toMatchObject({ downloadBytesPerSecond: 1_000_000 });
  });

  it('are absent without annotations', () => {
    expect(Object.keys(resolve({ other: 'x' })).filter((key) => key.endsWith('BytesPerSecond'))).toEqual([]);
  });

  it('are rejected when invalid, with the name of the annotation', () => {
    expect(() => resolve({ [down]: 'none' })).toThrow(
      expect.objectContaining({
        code: 'LOCATION_INVALID',
        message: `annotation ${down} "none" is not a quantity`,
        nextStep: expect.stringMatching(/10Mi.*remove the annotation/),
      }),
    );
  });
});
