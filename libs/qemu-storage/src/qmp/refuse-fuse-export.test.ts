import { isAppError } from '@lateen/errors';
import { systemClock as clock } from '@lateen/kernel';
import { expect, it } from 'vitest';
import { fakeMonitor } from '../testing/fake-monitor.ts';
import { connectQmp } from './connect-qmp.ts';

const fuse = { type: 'fuse', id: 'e', 'node-name': 'head', mountpoint: '/mnt/x', writable: true };

it.each([
  ['block-export-add', fuse],
  [
    'transaction',
    {
      actions: [
        { type: 'abort', data: {} },
        { type: 'x', data: fuse },
      ],
    },
  ],
  ['a-command-of-a-later-release', { exports: { first: fuse } }],
])('rejects a FUSE export: by %s', async (command, args) => {
  await using monitor = await fakeMonitor((_, talk) => talk.give({}));
  await using qmp = await connectQmp({ path: monitor.path, clock });
  await expect(qmp.execute(command, args)).rejects.toSatisfy((error) => isAppError(error, 'FUSE_EXPORT_REFUSED'));
  expect(monitor.commands).toEqual([]);
  await qmp.execute('block-export-add', { ...fuse, type: 'nbd' });
});
