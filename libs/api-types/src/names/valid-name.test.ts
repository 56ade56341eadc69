import { describe, expect, it } from 'vitest';
import { getValidName, labelValueLengthMax, returnNameOrHash } from './valid-name.ts';

const a63 = 'a'.repeat(63);
const a64 = 'a'.repeat(64);

describe('getValidName', () => {
  it.each(['', 'x', 'nginx-backup', a63])('keeps a name of at most 63 characters: "%s"', (name) => {
    expect(getValidName(name)).toBe(name);
  });

  // Digests by coreutils (sha256sum) and Python (hashlib), not by the code under test.
  it.each([
    [a64, `${'a'.repeat(57)}ffe054`],
    [
      'the-quick-brown-fox-jumps-over-the-lazy-dog-and-then-again-over-the-cat',
      'the-quick-brown-fox-jumps-over-the-lazy-dog-and-then-agai31fc6c',
    ],
  ])('cuts %s to 57 characters plus 6 characters of its SHA-256', (name, expected) => {
    expect(getValidName(name)).toBe(expected);
    expect(expected).toHaveLength(labelValueLengthMax);
  });

  it('gives two long names with the same beginning different results', () => {
    expect(getValidName(`${a63}-1`)).not.toBe(getValidName(`${a63}-2`));
  });

  it('does not change a name that it returned', () => {
    const once = getValidName(a64);
    expect(getValidName(once)).toBe(once);
  });
});

describe('returnNameOrHash', () => {
  it.each(['', 'ns-default-kopia', a63])('keeps a name of at most 63 characters: "%s"', (name) => {
    expect(returnNameOrHash(name)).toBe(name);
  });

  it('replaces a longer name by its SHA3-224', () => {
    expect(returnNameOrHash(a64)).toBe('ce06309528da04278a8072ca96610a47298cbca3a9b6a0ee7f581316');
  });
});
