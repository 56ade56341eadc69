import { describe, expect, it } from 'vitest';
import { mustBeMounted } from './volume-mounted.ts';

const pods = '/var/lib/kubelet/pods/4b1d/volumes';
const mountinfo = `22 1 0:20 / / rw,relatime - overlay overlay rw
45 22 7:3 / /3f1c-uid rw,relatime - ext4 /dev/loop3 rw
46 22 7:4 /sub /with\\040space rw - xfs /dev/loop4 rw
47 22 8:1 ${pods}/kubernetes.io~empty-dir/scratch /emptyDir ro - ext4 /dev/sda1 rw
48 22 8:2 /srv/disks/7 /local-directory ro - ext4 /dev/sdb1 rw
49 22 0:61 /export/shop /nfs ro - nfs4 server:/export rw
50 22 8:1 ${pods}/kubernetes.io~csi/pvc-1/mount /covered ro - ext4 /dev/sda1 rw
51 50 7:5 / /covered ro - ext4 /dev/loop5 rw`;

describe('mustBeMounted', () => {
  it.each(['/3f1c-uid', '/3f1c-uid/', '/with space', '/emptyDir', '/local-directory', '/nfs', '/covered'])(
    'accepts %s',
    (path) => {
      expect(() => mustBeMounted(path, mountinfo)).not.toThrow();
    },
  );

  it.each(['/3f1c', '/3f1c-uid/dir', '/none', '/'])('rejects %s, which is not a mount point of a volume', (path) => {
    expect(() => mustBeMounted(path, mountinfo)).toThrow(`no volume is mounted at ${path}`);
  });

  it.each([
    `${pods}/kubernetes.io~csi/pvc-1/mount`,
    `${pods}/kubernetes.io~nfs/share`,
    `${pods}/kubernetes.io~local-volume/disk-1`,
    // The kubelet's directory on a separate file system.
    '/pods/4b1d/volumes/kubernetes.io~csi/pvc-1/mount',
  ])('rejects %s, where the kubelet has mounted nothing', (place) => {
    const unmounted = `${mountinfo}\n52 22 8:1 ${place} /volume ro - ext4 /dev/sda1 rw`;
    expect(() => mustBeMounted('/volume', unmounted)).toThrow('the volume is not mounted on its node');
  });
});
