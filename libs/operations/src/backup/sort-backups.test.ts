import type { Backup } from '@lateen/api-types';
import { expect, it } from 'vitest';
import { sortBackups } from './sort-backups.ts';

const named = (name: string): Backup => ({ apiVersion: 'velero.io/v1', kind: 'Backup', metadata: { name }, spec: {} });

it.each<[string[], string[]]>([
  [
    ['b', 'a'],
    ['a', 'b'],
  ],
  [
    ['n-20300101000000', 'n-20300103000000', 'n-20300102000000'],
    ['n-20300103000000', 'n-20300102000000', 'n-20300101000000'],
  ],
  [
    ['n-20300101000000', 'n', 'm-20300101000000', 'n-2'],
    ['m-20300101000000', 'n-20300101000000', 'n', 'n-2'],
  ],
  // Not a time: 13 digits.
  [
    ['n-2030010100000', 'n-2030010100001'],
    ['n-2030010100000', 'n-2030010100001'],
  ],
])('%j', (names, sorted) => {
  expect(sortBackups(names.map(named)).map(({ metadata }) => metadata.name)).toEqual(sorted);
});
