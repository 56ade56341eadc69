import { deviceDoubt } from '@lateen/changed-files';
import { expect, it } from 'vitest';
import { readDeviceFacts } from './read-device-facts.ts';

const mountinfo = (fileSystem: string, more = '') =>
  `42 27 7:3 / /uid rw,relatime - ${fileSystem} /dev/loop3 rw${more}\n43 27 0:5 / /other rw - tmpfs tmpfs rw\n`;
const device = {
  '/sys/dev/block/7:3/size': '800\n',
  '/sys/dev/block/7:3/uevent': 'MAJOR=7\nDEVNAME=loop3\nDEVTYPE=disk\n',
};
const xfs = { ...device, '/proc/self/mountinfo': mountinfo('xfs', ',noquota') };
const ext4 = { ...device, '/proc/self/mountinfo': mountinfo('ext4') };
const facts = (files: Readonly<Record<string, string>>, path = '/uid') =>
  readDeviceFacts(path, async (file) => files[file]);

it('reads the mount options in effect, because mountinfo lacks some of them', async () => {
  const whole = { sizeBytes: 409_600, isPartition: false, isStacked: false, offsetBytes: 0 };
  expect(await facts(xfs, '/uid/')).toEqual({ fileSystem: 'xfs', options: ['rw', 'noquota'], device: whole });
  const options = { '/proc/fs/ext4/loop3/options': 'rw\ndata=ordered\n' };
  expect(await facts({ ...ext4, ...options })).toEqual({
    fileSystem: 'ext4',
    options: ['rw', 'rw', 'data=ordered'],
    device: whole,
  });
});

it.each<[string, Readonly<Record<string, string>>, string?]>([
  ['nothing is mounted at the path of the volume', xfs, '/else'],
  ['changed blocks of files are known for ext4 and xfs only', { ...xfs, '/proc/self/mountinfo': mountinfo('btrfs') }],
  ['the file system is not on a block device', { '/proc/self/mountinfo': mountinfo('xfs') }],
  ['the file system is on a partition', { ...xfs, '/sys/dev/block/7:3/partition': '1\n' }],
  [
    'the file system is on a device that is made of others (LVM, encryption, RAID)',
    { ...xfs, '/sys/dev/block/7:3/dm/uuid': 'CRYPT-1\n' },
  ],
  [
    'the file system is on a device that is made of others (LVM, encryption, RAID)',
    { ...xfs, '/sys/dev/block/7:3/md/level': 'raid1\n' },
  ],
  ['the file system does not begin where the volume begins', { ...xfs, '/sys/dev/block/7:3/loop/offset': '1048576\n' }],
  ['the file system has a second device', { ...xfs, '/proc/self/mountinfo': mountinfo('xfs', ',rtdev=/dev/sdb') }],
  ['the file system may have data in its journal', ext4],
  ['the file system may have data in its journal', { ...ext4, '/proc/fs/ext4/loop3/options': 'data=journal\n' }],
])('%s', async (doubt, files, path) => {
  expect(deviceDoubt(await facts(files, path), 409_600)).toBe(doubt);
});
