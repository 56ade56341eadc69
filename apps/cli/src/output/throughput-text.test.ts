import type { RestoreThroughput } from '@lateen/api-types';
import { restoreLimits } from '@lateen/datapath';
import { describe, expect, it } from 'vitest';
import { differencesText, filesText, limitAdvice, limitText, ratesText, readerText } from './throughput-text.ts';

const MiB = 1024 ** 2;
const known: RestoreThroughput = {
  bytesPerSecond: 64 * MiB,
  filesPerSecond: 8_123,
  filesDone: 120_000,
  totalFiles: 300_000,
  reader: 'packs',
  storeBytes: 600 * MiB,
  storeRequests: 90,
  storeRequestsInFlight: 64,
  storeLatencyMilliseconds: 28,
  durationMilliseconds: 6_000,
};

describe('the text about the throughput of a restore', () => {
  it('has rates and files when they are known', () => {
    expect(ratesText(known)).toBe('64 MiB/s, 8,123 files/s');
    expect(ratesText({ bytesPerSecond: 512 })).toBe('512 B/s');
    expect(ratesText({})).toBe('');
    expect(filesText(known)).toBe('120,000 of 300,000');
    expect(filesText({ filesDone: 300_000, totalFiles: 300_000 })).toBe('300,000');
    expect(filesText({})).toBe('');
  });

  it.each([
    ['store-latency', "the store's latency: 28ms per request, 64 in flight"],
    ['store-bandwidth', "the store's bandwidth: 100 MiB/s came from it, 64 in flight"],
    ['rate', 'the rate that its storage location sets'],
    ['cpu', "the data mover's CPU"],
    ['disk', 'the disk of the volume'],
    ['memory', "the data mover's memory, which has no room for more requests: 28ms per request, 64 in flight"],
  ])('explains %s', (limitedBy, text) => {
    expect(limitText({ ...known, limitedBy })).toBe(text);
    expect(limitAdvice({ limitedBy })).toMatch(/\.$/);
  });

  it('has a text for every limit that a data mover may report', () => {
    expect(restoreLimits.filter((limitedBy) => limitAdvice({ limitedBy }) === '')).toEqual([]);
  });

  it('omits figures that are not known yet', () => {
    expect(limitText({ limitedBy: 'store-latency' })).toBe("the store's latency");
    expect(limitText({ limitedBy: 'store-bandwidth' })).toBe("the store's bandwidth");
    expect(limitText({})).toBe('');
  });

  it('shows a limit of a newer version by its name, without advice', () => {
    expect(limitText({ limitedBy: 'moon' })).toBe('moon');
    expect(limitAdvice({ limitedBy: 'moon' })).toBe('');
  });

  it.each<[RestoreThroughput, string]>([
    [
      { comparedBytes: 1024 * MiB, unchangedBytes: 900 * MiB, writtenBytes: 124 * MiB },
      '900 MiB unchanged, 124 MiB written, 1 GiB compared',
    ],
    [{ writtenBytes: 0 }, '0 B written'],
    [known, ''],
  ])('reports how much of the volume was already there: %j', (throughput, text) => {
    expect(differencesText(throughput)).toBe(text);
  });

  it.each<[RestoreThroughput, string]>([
    [known, 'packs of the repository: 600 MiB with 90 requests'],
    [{ reader: 'packs', storeRequests: 1, storeBytes: 10 }, 'packs of the repository: 10 B with 1 request'],
    [{ reader: 'packs' }, 'packs of the repository'],
    [{ reader: 'engine' }, "the engine's own restore"],
    [
      { reader: 'engine', readerReason: 'the repository uses\nECC' },
      "the engine's own restore, because the repository uses ECC",
    ],
    [{}, ''],
  ])('reports how the repository was read: %j', (throughput, text) => {
    expect(readerText(throughput)).toBe(text);
  });
});
