import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseProgress, parseResult, sameResult } from './result-json.ts';

const backup = {
  snapshotID: 'a'.repeat(32),
  emptySnapshot: false,
  source: { byPath: '/uid', volumeMode: 'Filesystem' as const },
  totalBytes: 10,
  incrementalBytes: 3,
};
const restore = { target: { byPath: '/uid', volumeMode: 'Block' as const }, totalBytes: 10 };

describe('the result of a data mover', () => {
  it('has the form of data-movement.md section 7', () => {
    expect(parseResult(JSON.stringify(backup))).toEqual(backup);
    expect(parseResult(JSON.stringify(restore))).toEqual(restore);
  });
  it('of a volume in use may contain a warning', () => {
    const warned = { ...backup, warning: '1 file vanished while the volume was read (a)' };
    expect(parseResult(JSON.stringify(warned))).toEqual(warned);
    expect(parseResult(JSON.stringify({ ...backup, warning: 5 }))).toEqual(backup);
  });
  it('of a block volume may say how it was read, and invalid additions are dropped', () => {
    const readReport = { readBytes: 4, changedBytes: 8, uploadedBytes: 2, verifiedBytes: 3 };
    const read = { ...backup, readReport };
    expect(parseResult(JSON.stringify(read))).toEqual(read);
    const full = { ...backup, readReport: { readBytes: 4, fullReadReason: 'volume grew', differsAt: 0 } };
    expect(parseResult(JSON.stringify(full))).toEqual(full);
    const odd = { readBytes: 4, changedBytes: -1, uploadedBytes: 0.5, fullReadReason: 7 };
    expect(parseResult(JSON.stringify({ ...backup, readReport: odd }))).toEqual({
      ...backup,
      readReport: { readBytes: 4 },
    });
    for (const none of [5, null, {}, { readBytes: '4' }])
      expect(parseResult(JSON.stringify({ ...backup, readReport: none }))).toEqual(backup);
  });
  it('treats missing counts as zero', () => {
    const { totalBytes: _, incrementalBytes: __, ...rest } = backup;
    expect(parseResult(JSON.stringify(rest))).toEqual({ ...backup, totalBytes: 0, incrementalBytes: 0 });
  });
  it.each([
    ['nothing', ''],
    ['a failure text', 'Failed to run data path service for DataUpload x: no'],
    ['null', 'null'],
    ['a list', '[]'],
    ['no source', JSON.stringify({ ...backup, source: undefined })],
    ['a source without a mode', JSON.stringify({ ...backup, source: { byPath: '/x' } })],
    ['bytes as text', JSON.stringify({ ...backup, totalBytes: '10' })],
    ['negative bytes', JSON.stringify({ ...restore, totalBytes: -1 })],
    ['half a byte', JSON.stringify({ ...restore, totalBytes: 0.5 })],
    [
      'more bytes than a number can hold',
      '{"target":{"byPath":"/u","volumeMode":"Block"},"totalBytes":9007199254740993}',
    ],
    ['no snapshot', JSON.stringify({ ...backup, snapshotID: undefined })],
  ])('is rejected: %s', (_, text) => {
    expect(parseResult(text)).toBeUndefined();
  });
  it('is rejected when truncated at any position', () => {
    const text = JSON.stringify(backup);
    for (let length = 0; length < text.length; length++) expect(parseResult(text.slice(0, length))).toBeUndefined();
  });
  it('never throws, for any text', () => {
    fc.assert(fc.property(fc.oneof(fc.string(), fc.json()), (text) => void [parseResult(text), parseProgress(text)]));
  });
});

const report = {
  reader: 'packs' as const,
  limitedBy: 'store-latency' as const,
  files: 300_000,
  filesPerSecond: 8_123.4,
  bytesPerSecond: 812_340,
  storeBytes: 62_000_000,
  storeRequests: 9,
  storeLatencyMs: 28.4,
  storeRequestsInFlight: 64,
  comparedBytes: 4_096,
  unchangedBytes: 4_000,
  writtenBytes: 96,
  seconds: 36.9,
};

describe('the report of a restore', () => {
  const read = (value: unknown) => parseResult(JSON.stringify({ ...restore, report: value }));
  it('is part of its result', () => {
    expect(read(report)).toEqual({ ...restore, report });
    const byEngine = { ...report, reader: 'engine', reason: 'the repository uses ECC' };
    expect(read(byEngine)).toEqual({ ...restore, report: byEngine });
  });
  it.each([
    ['no object', 7],
    ['null', null],
    ['with an unknown reader', { ...report, reader: 'tape' }],
  ])('%s leaves the result unchanged', (_, value) => {
    expect(read(value)).toEqual(restore);
  });
  it.each([
    ['a limit that is not known', { limitedBy: 'moon' }, { limitedBy: undefined }],
    ['a count below zero', { storeRequests: -1 }, { storeRequests: undefined }],
    ['a rate that is not a number', { filesPerSecond: 'fast' }, { filesPerSecond: 0 }],
    ['a reason that is not a string', { reason: 7 }, { reason: undefined }],
  ])('is read without %s', (_, odd, left) => {
    expect(read({ ...report, ...odd })).toEqual({ ...restore, report: { ...report, ...left } });
  });
  it('does not make results differ', () => {
    expect(sameResult(restore, { ...restore, report })).toBe(true);
  });
});

describe('progress', () => {
  it('may count files and name its limit', () => {
    const progress = { totalBytes: 9, doneBytes: 5, totalFiles: 4, doneFiles: 2, limitedBy: 'disk' as const };
    expect(parseProgress(JSON.stringify(progress))).toEqual(progress);
  });
  it.each([{ doneFiles: -1 }, { totalFiles: 'many' }, { limitedBy: 'moon' }, { doneFiles: null }])(
    'keeps its counts without an invalid addition: %j',
    (odd) => {
      expect(parseProgress(JSON.stringify({ doneBytes: 5, ...odd }))).toEqual({ totalBytes: 0, doneBytes: 5 });
    },
  );
  it('may omit zeros', () => {
    expect(parseProgress('{"doneBytes":5}')).toEqual({ totalBytes: 0, doneBytes: 5 });
    expect(parseProgress('{}')).toEqual({ totalBytes: 0, doneBytes: 0 });
  });
  it('with invalid numbers is rejected', () => {
    expect(parseProgress('{"doneBytes":"5"}')).toBeUndefined();
  });
});

describe('two results', () => {
  it.each([
    ['the same', backup, { ...backup }, true],
    ['another snapshot', backup, { ...backup, snapshotID: 'b' }, false],
    ['another size', restore, { ...restore, totalBytes: 11 }, false],
    ['a backup and a restore', backup, restore, false],
  ])('%s', (_, a, b, same) => {
    expect(sameResult(a, b)).toBe(same);
    expect(sameResult(b, a)).toBe(same);
  });
});
