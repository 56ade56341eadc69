import { describe, expect, it } from 'vitest';
import { parentSnapshotOf, readBackupType } from './backup-type.ts';

describe('the type of a backup', () => {
  it.each([
    ['Full', 'Full'],
    ['full', 'Full'],
    ['INCREMENTAL', 'Incremental'],
    ['', undefined],
    ['Differential', undefined],
  ])('%s is read as %s', (written, type) => expect(readBackupType(written)).toBe(type));

  it.each([
    [undefined, {}],
    ['Full', { parentSnapshot: 'none' }],
    ['Incremental', { parentSnapshot: 'auto' }],
  ] as const)('%s is passed to a movement as %j', (type, field) => expect(parentSnapshotOf(type)).toEqual(field));
});
