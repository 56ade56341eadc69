import { outputLines } from '@lateen/child-process';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseRestoreProgress } from './restore-progress.ts';
import { parseUploadProgress } from './upload-progress.ts';

describe('parseUploadProgress', () => {
  it('reads a line with an estimate', () => {
    const line = '2 hashing, 1 hashed (694 MB), 3 cached (1.5 KB), uploaded 67.8 MB, estimated 852 MB (40.8%) 0s left';
    expect(parseUploadProgress(line)).toMatchObject({
      hashedFiles: 1,
      hashed: { bytes: 694_000_000 },
      cachedFiles: 3,
      cached: { bytes: 1_500 },
      uploaded: { bytes: 67_800_000 },
      estimated: { bytes: 852_000_000 },
    });
  });

  it('reads the lines kopia prints while it still counts, with spinner, padding and errors', () => {
    const line =
      ' | 0 hashing, 12 hashed (0 B), 50 cached (1 MB), uploaded 0 B (2 fatal errors) (1 errors ignored), estimating...   ';
    expect(parseUploadProgress(line)).toMatchObject({ hashedFiles: 12, cachedFiles: 50, estimated: undefined });
    const estimated =
      ' / 0 hashing, 12 hashed (0 B), 50 cached (1 MB), uploaded 0 B (1 errors ignored), estimated 2 MB (50.0%) 3s left';
    expect(parseUploadProgress(estimated)?.estimated?.bytes).toBe(2_000_000);
  });

  it.each([
    '',
    'Snapshotting default@default:x ...',
    ' ! Error when processing "a": b',
    '1 hashing, 2 hashed (3 Q), 4',
  ])('ignores %j', (line) => expect(parseUploadProgress(line)).toBeUndefined());
});

describe('parseRestoreProgress', () => {
  it('reads lines with and without an estimate', () => {
    expect(parseRestoreProgress('Processed 5 (3 MB) of 10 (20 MB) 3.2 MB/s (12.0%) remaining 4s.')).toMatchObject({
      restored: { bytes: 3_000_000 },
      enqueued: { bytes: 20_000_000 },
    });
    expect(parseRestoreProgress('Processed 51 (1 MB) of 50 (1 MB), skipped 2 (4 B).')).toBeDefined();
    expect(parseRestoreProgress('Restored 50 files, 1 directories and 0 symbolic links (1 MB).')).toBeUndefined();
  });
});

describe('lineSplitter', () => {
  it('returns the same lines for any chunk boundaries', () => {
    const word = fc.stringMatching(/^[a-z0-9 ]{0,12}$/);
    fc.assert(
      fc.property(fc.array(word), fc.array(fc.nat(6)), (words, cuts) => {
        const text = [...words.map((each, index) => `${index % 2 ? '\r' : '\n'}${each}`), '\n'].join('');
        const lines: string[] = [];
        const feed = outputLines((line) => lines.push(line)).push;
        let at = 0;
        for (const cut of cuts) {
          feed(text.slice(at, at + cut));
          at += cut;
        }
        feed(text.slice(at));
        expect(lines).toEqual(words.map((each) => each.trim()).filter((each) => each !== ''));
      }),
    );
  });

  it('limits its buffer for a stream without line ends', () => {
    const lines: string[] = [];
    const feed = outputLines((line) => lines.push(line)).push;
    for (let piece = 0; piece < 100; piece++) feed('x'.repeat(10_000));
    feed('\nafter\n');
    expect(lines[0]?.length).toBeLessThanOrEqual(16 * 1024);
    expect(lines[1]).toBe('after');
  });
});
