import { expect, it } from 'vitest';
import { byteSize } from './byte-size.ts';

it.each([
  [0, '0 B'],
  [999, '999 B'],
  [1023, '0.999 KiB'],
  [1536, '1.5 KiB'],
  [12_902, '12.6 KiB'],
  [641_728_512, '612 MiB'],
  [1.25 * 1024 ** 3, '1.25 GiB'],
  [1023.9 * 1024 ** 2, '1 GiB'],
  [5 * 1024 ** 4, '5 TiB'],
  [12_345 * 1024 ** 5, '12300 PiB'],
])('shows %d bytes as %s', (bytes, text) => expect(byteSize(bytes)).toBe(text));
