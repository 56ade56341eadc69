import { isAppError } from '@lateen/errors';
import { expect, it } from 'vitest';
import { daemonArguments } from './daemon-arguments.ts';

it('contain the monitor, the pid file and the export thread, and no device', () => {
  expect(daemonArguments({ monitorPath: '/run/r,1/monitor', pidPath: '/run/r,1/pid' })).toEqual([
    ...['--chardev', 'socket,id=monitor,path=/run/r,,1/monitor,server=on,wait=off'],
    ...['--monitor', 'chardev=monitor', '--pidfile', '/run/r,1/pid'],
    ...['--object', 'iothread,id=exports,poll-max-ns=0'],
  ]);
});

it.each([
  ['PATH_NOT_ABSOLUTE', { monitorPath: 'monitor', pidPath: '/run/pid' }],
  ['PATH_NOT_ABSOLUTE', { monitorPath: '/run/monitor', pidPath: './pid' }],
  ['PATH_NOT_ABSOLUTE', { monitorPath: '/run/mon\0itor', pidPath: '/run/pid' }],
  ['SOCKET_PATH_TOO_LONG', { monitorPath: `/${'ü'.repeat(54)}`, pidPath: '/run/pid' }],
])('reject paths with a special meaning for the daemon: %s', (code, places) => {
  expect(() => daemonArguments(places)).toThrow(expect.toSatisfy((error) => isAppError(error, code)));
});
