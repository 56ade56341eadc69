import { isAppError } from '@lateen/errors';
import { systemClock as clock } from '@lateen/kernel';
import { seededRandom } from '@lateen/testing';
import { describe, expect, it } from 'vitest';
import { fakeMonitor, greetingOf, type MonitorCommand, recordedSchema, type Talk } from '../testing/fake-monitor.ts';
import { connectStorageDaemon } from './connect-storage-daemon.ts';

const code = (name: string) => expect.toSatisfy((error) => isAppError(error, name));

/** A daemon of a release, with its commands, that answers as the test says. */
async function opened(
  answer: (command: MonitorCommand, talk: Talk) => void = (_, talk) => talk.give({}),
  [release, ...numbers]: readonly ['7.2.22' | '10.0.2', number, number, number] = ['7.2.22', 7, 2, 22],
) {
  const schema = await recordedSchema(release);
  const monitor = await fakeMonitor(
    (command, talk) => (command.execute === 'query-qmp-schema' ? talk.give(schema) : answer(command, talk)),
    greetingOf(...numbers),
  );
  const daemon = await connectStorageDaemon({ monitorPath: monitor.path, clock, random: seededRandom(1) });
  monitor.commands.length = 0;
  const last = () => monitor.commands.at(-1);
  const dispose = async () => {
    await daemon[Symbol.asyncDispose]();
    await monitor[Symbol.asyncDispose]();
  };
  return { daemon, last, commands: monitor.commands, [Symbol.asyncDispose]: dispose };
}

describe('a storage daemon', () => {
  it('opens a layer with direct I/O and discard, on the named node', async () => {
    await using it = await opened();
    await it.daemon.blockdevAdd({
      ...{ nodeName: 'layer-2', path: '/disk/l2.qcow2', io: 'direct', backing: 'layer-1' },
      ...{ detectZeroes: true, tableCacheBytes: 1_048_576, tableCacheIdleSeconds: 60 },
    });
    expect(it.last()).toMatchObject({
      execute: 'blockdev-add',
      arguments: {
        driver: 'qcow2',
        'node-name': 'layer-2',
        'read-only': false,
        discard: 'unmap',
        'detect-zeroes': 'unmap',
        backing: 'layer-1',
        'l2-cache-size': 1_048_576,
        'cache-clean-interval': 60,
        file: {
          driver: 'file',
          filename: '/disk/l2.qcow2',
          aio: 'native',
          discard: 'unmap',
          cache: { direct: true },
        },
      },
    });
  });

  it('opens a layer without its backing file, and without direct I/O, on request', async () => {
    await using it = await opened();
    await it.daemon.blockdevAdd({
      ...{ nodeName: 'l', path: '/l', io: 'buffered', backing: null, readOnly: true },
    });
    expect(it.last()?.arguments).toMatchObject({
      ...{ 'read-only': true, 'detect-zeroes': 'off', backing: null },
      file: { aio: 'threads', cache: { direct: false } },
    });
    expect(it.last()?.arguments).not.toHaveProperty('l2-cache-size');
  });

  it('rejects a relative path, which the daemon would resolve in its own directory', async () => {
    await using it = await opened();
    const node = { nodeName: 'l', io: 'direct', backing: null } as const;
    for (const path of ['l.qcow2', './l.qcow2', 'nbd:localhost:10809', ''])
      await expect(it.daemon.blockdevAdd({ ...node, path })).rejects.toEqual(code('PATH_NOT_ABSOLUTE'));
    expect(it.commands).toEqual([]);
  });

  it('resizes to sizes that a number can represent exactly, and to no others', async () => {
    await using it = await opened();
    await it.daemon.blockResize({ nodeName: 'l', sizeBytes: 2n ** 53n - 1n });
    expect(it.last()?.arguments).toEqual({ 'node-name': 'l', size: 2 ** 53 - 1 });
    for (const sizeBytes of [2n ** 53n, -1n])
      await expect(it.daemon.blockResize({ nodeName: 'l', sizeBytes })).rejects.toEqual(code('SIZE_TOO_LARGE'));
  });

  it.each([
    [{ path: '/run/nbd' }, { type: 'unix', data: { path: '/run/nbd' } }],
    [
      { host: '10.0.0.1', port: 10_001 },
      { type: 'inet', data: { host: '10.0.0.1', port: '10001' } },
    ],
  ])('serves its exports at %o', async (at, addr) => {
    await using it = await opened();
    await it.daemon.nbdServerStart(at);
    expect(it.last()?.arguments).toEqual({ addr, 'max-connections': 64 });
  });

  it('exports by NBD, and keeps the export name out of its errors', async () => {
    await using it = await opened((_, talk) => talk.refuse("NBD server already has export named 'r.1.5eC4et'"));
    const request = { type: 'nbd', id: 'engine', nodeName: 'l', name: 'r.1.5eC4et', writable: true } as const;
    const error = await it.daemon.blockExportAdd(request).catch((reason: unknown) => reason);
    expect(JSON.stringify(error) + String(error)).not.toContain('5eC4et');
    expect(it.last()?.arguments).toEqual({
      ...{ type: 'nbd', id: 'engine', 'node-name': 'l', name: 'r.1.5eC4et', writable: true, 'allocation-depth': false },
    });
    for (const wrong of [{ name: '' }, { name: 'x'.repeat(4_097) }, { id: '1' }])
      await expect(it.daemon.blockExportAdd({ ...request, ...wrong })).rejects.toEqual(code('EXPORT_NAME_INVALID'));
  });

  it('serves its exports in their own thread from release 10 on', async () => {
    await using it = await opened(undefined, ['10.0.2', 10, 0, 2]);
    await it.daemon.blockExportAdd({ type: 'nbd', id: 'engine', nodeName: 'l', name: 'n', writable: true });
    expect(it.last()?.arguments).toMatchObject({ 'node-name': 'l', iothread: 'exports' });
  });

  it('has removed an export only when its last connection has ended', async () => {
    let ended: (() => void) | undefined;
    const there = { id: 'engine', type: 'nbd', 'node-name': 'l', 'shutting-down': false };
    await using it = await opened(({ execute }, talk) => {
      talk.give(execute === 'query-block-exports' ? [there] : {});
      if (execute !== 'block-export-del') return;
      talk.tell('BLOCK_EXPORT_DELETED', { id: 'another' });
      ended = () => talk.tell('BLOCK_EXPORT_DELETED', { id: 'engine' });
    });
    let gone = false;
    const deleted = it.daemon.blockExportDel({ id: 'engine', mode: 'hard' }).then(() => {
      gone = true;
    });
    while (ended === undefined) await it.daemon.queryBlockExports();
    await it.daemon.queryBlockExports();
    expect(gone).toBe(false);
    ended();
    await deleted;
  });

  it('sends no command for a missing export, and none twice for one that is being removed', async () => {
    const going = { id: 'old', type: 'nbd', 'node-name': 'l', 'shutting-down': true };
    await using it = await opened(({ execute }, talk) => {
      talk.give(execute === 'query-block-exports' ? [going] : {});
      talk.tell('BLOCK_EXPORT_DELETED', { id: 'old' });
    });
    await it.daemon.blockExportDel({ id: 'gone', mode: 'hard' });
    const deleted = it.daemon.blockExportDel({ id: 'old', mode: 'hard' });
    // The event may arrive before the response, or after it.
    await it.daemon.queryBlockExports();
    await deleted;
    expect(it.commands.map(({ execute }) => execute)).not.toContain('block-export-del');
  });

  it('lists its own nodes with their files', async () => {
    const chain = {
      driver: 'qcow2',
      file: { driver: 'file', filename: '/d/l1' },
      backing: { file: { filename: 'x' } },
    };
    await using it = await opened((_, talk) =>
      talk.give([
        {
          'node-name': 'l1',
          drv: 'qcow2',
          ro: false,
          image: { filename: `json:${JSON.stringify(chain)}`, 'virtual-size': 8 },
        },
        { 'node-name': 'l0', drv: 'qcow2', ro: true, image: { filename: '/d/l0', 'virtual-size': 8 } },
        { 'node-name': '#block123', drv: 'file', ro: true, image: { filename: '/d/l0', 'virtual-size': 4 } },
      ]),
    );
    expect(await it.daemon.queryNamedBlockNodes()).toEqual([
      { nodeName: 'l1', driver: 'qcow2', path: '/d/l1', readOnly: false, sizeBytes: 8n },
      { nodeName: 'l0', driver: 'qcow2', path: '/d/l0', readOnly: true, sizeBytes: 8n },
    ]);
  });

  it('has quit even when it is gone before its response is read', async () => {
    await using it = await opened((_, talk) => talk.end());
    await it.daemon.quit();
    expect(await it.daemon.closed).toEqual(code('STORAGE_DAEMON_ENDED'));
  });
});
