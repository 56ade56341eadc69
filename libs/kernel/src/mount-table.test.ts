import { expect, it } from 'vitest';
import { mountAt, parseMountInfo } from './mount-table.ts';

const text = `42 27 7:0 / /var/lib/kubelet/stag\\040ing rw,relatime shared:1 master:2 - ext4 /dev/loop0 rw
43 27 0:5 /loop1 /pods/dev ro,nosuid - devtmpfs devtmpfs rw,size=4k
44 27 7:2 / /pods/dev rw - xfs /dev/loop2 ro,nouuid
not a mount
`;

it('reads device, root, options and flags, with and without optional fields', () => {
  expect(parseMountInfo(text)[0]).toEqual({
    device: '7:0',
    root: '/',
    mountPoint: '/var/lib/kubelet/stag ing',
    options: ['rw', 'relatime'],
    fileSystem: 'ext4',
    source: '/dev/loop0',
    superOptions: ['rw'],
  });
  expect(parseMountInfo(text)[1]).toMatchObject({ root: '/loop1', fileSystem: 'devtmpfs', options: ['ro', 'nosuid'] });
});

it('skips lines of another format', () => expect(parseMountInfo(text)).toHaveLength(3));

it('finds the topmost mount', () => {
  const mounts = parseMountInfo(text);
  expect(mountAt(mounts, '/pods/dev')?.device).toBe('7:2');
  expect(mountAt(mounts, '/pods')).toBeUndefined();
});
