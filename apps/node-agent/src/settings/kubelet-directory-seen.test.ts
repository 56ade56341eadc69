import { describe, expect, it } from 'vitest';
import { kubeletDirectorySeen } from './kubelet-directory-seen.ts';

const uid = '3f2b7a10-94c1-4f0e-8a53-0d1c2b3a4f5e';
const line = (root: string, at: string) => `912 890 8:1 ${root} ${at} rw,relatime - ext4 /dev/sda1 rw`;
const others = [
  '890 810 0:120 / / ro,relatime master:41 - overlay overlay rw,lowerdir=/l',
  '891 890 0:122 / /proc rw,nosuid - proc proc rw',
];

describe('the directory of the kubelet, derived from the mounts of a pod', () => {
  it.each([
    ['by a volume', '/var/lib/kubelet', `/var/lib/kubelet/pods/${uid}/volumes/kubernetes.io~empty-dir/scratch`],
    ['by the hosts file', '/data/kubelet', `/data/kubelet/pods/${uid}/etc-hosts`],
    ['by a termination message', '/var/lib/k0s/kubelet', `/var/lib/k0s/kubelet/pods/${uid}/containers/node-agent/1`],
    ['on a file system of its own', '/', `/pods/${uid}/etc-hosts`],
    ['with a space in its name', '/my disk/kubelet', `/my\\040disk/kubelet/pods/${uid}/etc-hosts`],
    ['below another directory named pods', '/pods/kubelet', `/pods/kubelet/pods/${uid}/etc-hosts`],
  ])('%s', (_, directory, root) => {
    expect(kubeletDirectorySeen([...others, line(root, '/x')].join('\n'))).toBe(directory);
  });

  it.each([
    ['nothing was mounted by a kubelet', others],
    ['what is mounted is no pod', [line('/srv/pods/web/volumes', '/x'), line(`/pods/${uid}`, '/y')]],
    ['there is no text', []],
  ])('is unknown when %s', (_, lines) => {
    expect(kubeletDirectorySeen(lines.join('\n'))).toBeUndefined();
  });
});
