import { expect, it } from 'vitest';
import { fuseDevicesIn } from './fuse-devices.ts';

it('finds mounts of programs and nothing else', () => {
  const mountinfo = [
    '2059 1993 0:218 / /var/run/lateen-storage/fronts/v rw,nosuid,nodev,relatime shared:9 - fuse.nbdfuse nbdfuse rw,user_id=0',
    '2060 1993 0:219 / /mnt rw - fuse /dev/fuse rw',
    '2061 1993 0:220 / /sys/fs/fuse/connections rw - fusectl fusectl rw',
    '2062 1993 7:3 / /var/lib/longhorn rw - xfs /dev/loop3 rw',
    '',
  ].join('\n');
  expect(fuseDevicesIn(mountinfo)).toEqual(['0:218', '0:219']);
});
