import { describe, expect, it } from 'vitest';
import { incrementalBytes } from './incremental-bytes.ts';
import { parseUploadProgress } from './upload-progress.ts';

const last = (hashed: string, cached: string) =>
  parseUploadProgress(`0 hashing, ${hashed}, ${cached}, uploaded 0 B, estimating...`);

describe('incrementalBytes', () => {
  it.each([
    ['nothing came from a parent', 1_234_567, last('5 hashed (1.2 MB)', '0 cached (0 B)'), 1_234_567],
    ['everything came from the parent', 1_234_567, last('0 hashed (0 B)', '5 cached (1.2 MB)'), 0],
    ['kopia never printed progress', 77, undefined, 77],
    ['the fresh share is printed finer', 1_200_345_678, last('1 hashed (7.3 MB)', '9 cached (1.2 GB)'), 7_300_000],
    ['the cached share is printed finer', 1_200_345_678, last('9 hashed (1.2 GB)', '1 cached (345 KB)'), 1_200_000_678],
    ['rounding would exceed the total', 999_960, last('1 hashed (1 MB)', '1 cached (0.9 MB)'), 999_960],
  ])('%s', (_, total, progress, expected) => expect(incrementalBytes(total, progress)).toBe(expected));
});
