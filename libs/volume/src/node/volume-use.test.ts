import { describe, expect, it } from 'vitest';
import { mountArguments } from './mount-file-system.ts';
import { checkMountFlags } from './volume-use.ts';

describe('checkMountFlags', () => {
  it.each(['noatime', 'discard', 'ro', 'logbsize=256k', 'data=ordered', 'context=system_u:object_r'])(
    'accepts %s',
    (flag) => expect(checkMountFlags([flag])).toEqual([flag]),
  );

  it.each([
    '',
    'bind',
    'rbind',
    'move',
    'loop',
    'remount',
    'rshared',
    'private',
    'a,b',
    '-o',
    'x-mount.mkdir',
    'X-mount.owner=0',
    'offset=4096',
    'no atime',
    'a\nb',
    '$(x)',
  ])('rejects %j', (flag) =>
    expect(() => checkMountFlags([flag])).toThrow(expect.objectContaining({ code: 'INVALID_ARGUMENT' })),
  );

  it('rejects too many flags', () => {
    expect(() => checkMountFlags(Array.from({ length: 65 }, () => 'noatime'))).toThrow('more than 64');
  });
});

describe('mountArguments', () => {
  it.each([
    { type: 'ext4', flags: [], args: ['-t', 'ext4', '/dev/loop1', '/s'] },
    { type: 'ext4', flags: ['ro', 'noatime'], args: ['-t', 'ext4', '-o', 'noatime', '/dev/loop1', '/s'] },
    { type: 'xfs', flags: ['ro'], readOnly: true, args: ['-t', 'xfs', '-o', 'nouuid,ro', '/dev/loop1', '/s'] },
    { type: 'xfs', flags: [], args: ['-t', 'xfs', '-o', 'nouuid', '/dev/loop1', '/s'] },
    { type: 'xfs', flags: ['nouuid', 'discard'], args: ['-t', 'xfs', '-o', 'nouuid,discard', '/dev/loop1', '/s'] },
  ])('for $type with $flags, read-only: $readOnly', ({ type, flags, args, readOnly = false }) => {
    expect(mountArguments({ type, flags, readOnly, device: '/dev/loop1', at: '/s' })).toEqual(args);
  });
});
