import { describe, expect, it } from 'vitest';
import { engineMemoryBytes } from './memory-limit.ts';

const MiB = 1024 * 1024;

describe('engineMemoryBytes', () => {
  it.each([
    ['max\n', undefined],
    ['', undefined],
    [`${512 * MiB}\n`, 402 * MiB],
    [`${128 * MiB}`, 64 * MiB],
  ])('memory.max %j leaves the engine %s', (text, bytes) => expect(engineMemoryBytes(text)).toBe(bytes));
});
