import { expect, it } from 'vitest';
import { type LoopDevice, loopsOf, parseLosetup } from './loop-devices.ts';

const loop = (name: string, number: number, backing: Partial<LoopDevice>): LoopDevice => ({
  path: `/dev/${name}`,
  device: `7:${number}`,
  node: `0:6 ${90 + number}`,
  backingFile: '/elsewhere',
  backingDevice: '254:0',
  backingNode: '254:0 1',
  ...backing,
});

it('finds devices on files in the folder, on files inside those, and on those devices themselves, uppermost first', () => {
  const all = [
    loop('loop0', 0, { backingFile: '/c/machines/node-1/csi.img' }),
    // Attached by a driver in a container, so the path is of another mount namespace.
    loop('loop1', 1, { backingFile: '/var/lib/lateen-csi/v.img', backingDevice: '7:0' }),
    // Attached by kubelet on the device node of a block volume.
    loop('loop2', 2, { backingFile: '/var/lib/kubelet/x', backingDevice: '0:6', backingNode: '0:6 91' }),
    loop('loop3', 3, { backingFile: '/c-other/machines/node-1/csi.img' }),
    loop('loop4', 4, { backingFile: '/var/lib/lateen-csi/v.img', backingDevice: '7:3' }),
  ];
  expect(loopsOf('/c', all).map(({ path }) => path)).toEqual(['/dev/loop2', '/dev/loop1', '/dev/loop0']);
});

it('finds devices on files with a mark of the folder, whose file systems are gone, and devices on those', () => {
  const gone = { backingDevice: '', backingNode: ' ' };
  const all = [
    loop('loop0', 0, { backingFile: '/pvc-1.mark', ...gone }),
    loop('loop1', 1, { backingFile: '/var/lib/kubelet/x', backingDevice: '0:6', backingNode: '0:6 90' }),
    loop('loop2', 2, { backingFile: '/pvc-1.other', ...gone }),
  ];
  expect(loopsOf('/c', all, ['mark']).map(({ path }) => path)).toEqual(['/dev/loop1', '/dev/loop0']);
});

it('parses the output of losetup, with padding, and its empty output when there is no device', () => {
  const printed = JSON.stringify({
    loopdevices: [
      { name: '/dev/loop1', 'maj:min': '  7:1  ', 'back-file': '/a b.img', 'back-maj:min': ' 254:0  ', 'back-ino': 53 },
    ],
  });
  expect(parseLosetup(printed)).toEqual([
    { path: '/dev/loop1', device: '7:1', backingFile: '/a b.img', backingDevice: '254:0', backingNode: '254:0 53' },
  ]);
  expect(parseLosetup('')).toEqual([]);
});
