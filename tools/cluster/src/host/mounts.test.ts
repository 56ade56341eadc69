import { expect, it } from 'vitest';
import { parseMountPoints } from './mounts.ts';

it('returns mount points with their octal escapes decoded', () => {
  const text = '22 27 0:21 / /proc rw - proc proc rw\n31 27 7:0 / /mnt/a\\040b\\134c rw - xfs /dev/loop0 rw\n';
  expect(parseMountPoints(text)).toEqual(['/proc', '/mnt/a b\\c']);
});
