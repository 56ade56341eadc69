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
  it('is read as data-movement.md section 7 writes it', () => {
    expect(parseResult(JSON.stringify(backup))).toEqual(backup);
    expect(parseResult(JSON.stringify(restore))).toEqual(restore);
  });
  it('reads counts that were left out as zero', () => {
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
  ])('is not %s', (_, text) => {
    expect(parseResult(text)).toBeUndefined();
  });
  it('that was cut anywhere is no result', () => {
    const text = JSON.stringify(backup);
    for (let length = 0; length < text.length; length++) expect(parseResult(text.slice(0, length))).toBeUndefined();
  });
  it('never throws, whatever the text', () => {
    fc.assert(fc.property(fc.oneof(fc.string(), fc.json()), (text) => void [parseResult(text), parseProgress(text)]));
  });
});

describe('progress', () => {
  it('may leave out zeroes', () => {
    expect(parseProgress('{"doneBytes":5}')).toEqual({ totalBytes: 0, doneBytes: 5 });
    expect(parseProgress('{}')).toEqual({ totalBytes: 0, doneBytes: 0 });
  });
  it('that is no number is not guessed', () => {
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
