import { AppError } from '@lateen/errors';
import { InstanceBoard, type KeptProcess } from '@lateen/instance-host';
import { orAborted, silentLogger, systemRandom } from '@lateen/kernel';
import { FakeClock, letWorkRun } from '@lateen/testing';
import { nodeFiles } from '@lateen/volume';
import { describe, expect, it } from 'vitest';
import { hostPaths } from '../disks/host-paths.ts';
import { placesOf } from '../places.ts';
import { ReplicaEntry } from './replica-entry.ts';
import { ReplicaHost } from './replica-host.ts';
import type { ReplicaDaemonPort, ReplicaPorts } from './replica-ports.ts';
import { ReplicaProcesses } from './replica-process.ts';

const o = { signal: new AbortController().signal };
const is = { name: 'r1', volume: 'v', volumeUid: 'uid', directory: '/nowhere/replicas/r1' };
const kept: KeptProcess = { id: 'replica-r1', kind: 'replica', run: 'run1', argv: [], health: 'silent' };

/** A keeper with one process, and a daemon whose server does not listen yet. */
function rig(look: (signal: AbortSignal) => Promise<{ processes: readonly KeptProcess[]; unknown: [] }>) {
  const clock = new FakeClock('2030-01-01T00:00:00Z');
  const board = new InstanceBoard(clock);
  const listening: unknown[] = [];
  const daemon = {
    closed: new Promise<AppError>(() => {}),
    queryBlockExports: async () => [],
    nbdServerStop: async () => {
      throw new AppError('QMP_COMMAND_FAILED', 'NBD server not running');
    },
    nbdServerStart: async (at: unknown) => void listening.push(at),
  } satisfies Partial<ReplicaDaemonPort>;
  const ports: ReplicaPorts = {
    keeper: { want: () => {}, unwant: () => {}, mayRun: () => true, look },
    ...{ board, clock, files: nodeFiles, random: systemRandom, log: silentLogger, program: 'qemu-storage-daemon' },
    notes: { readAll: async () => [], write: async () => {}, remove: async () => {} },
    ...{ places: placesOf('/nowhere/run'), paths: hostPaths('/'), address: '0.0.0.0' },
    portRange: { first: 10_000, last: 10_010 },
    images: {} as ReplicaPorts['images'],
    connectDaemon: async () => daemon as unknown as ReplicaDaemonPort,
    connectExport: () => Promise.reject(new Error('it has no exports')),
    peer: () => Promise.reject(new Error('there is none')),
    canDirectIo: async () => true,
    exportKey: async () => new Uint8Array(32),
  };
  return { ports, board, clock, listening };
}

describe('the start of a replica whose caller goes away', () => {
  it('is not reported as an error, because a manager would record the replica as failed', async () => {
    const { ports, board } = rig((signal) => orAborted(new Promise(() => {}), signal));
    const leaving = new AbortController();
    const host = new ReplicaHost(ports);
    const request = { ...is, generation: 3, sizeBytes: 4096n, mayCreate: true, rebuilding: false };
    const asked = host.ensure(request, { signal: leaving.signal });
    setImmediate(() => leaving.abort(new Error('the manager was restarted')));
    await expect(asked).rejects.toThrow('the manager was restarted');
    expect(board.get({ kind: 'replica', name: 'r1' })).toMatchObject({ state: 'starting', generation: 3 });
  });

  it('between its daemon and its server is continued there by the next call, once', async () => {
    const { ports, listening } = rig(async () => ({ processes: [kept], unknown: [] }));
    const entry = new ReplicaEntry(ports, is, 'buffered');
    Object.assign(entry, { run: 'run1', port: 10_005 });
    const processes = new ReplicaProcesses(ports);
    expect(await processes.ensure(entry, o.signal)).toBe(false);
    expect(listening).toEqual([{ host: '0.0.0.0', port: 10_005 }]);
    await processes.ensure(entry, o.signal);
    expect(listening).toHaveLength(1);
  });
});

const absent = async (): Promise<never> => {
  throw Object.assign(new Error('ENOENT: no such file or directory'), { code: 'ENOENT' });
};

it('takes over other replicas although the disk of one hangs', async () => {
  const { ports, board, clock } = rig(async () => ({ processes: [kept], unknown: [] }));
  const notes = ['r1', 'r2'].map((name) => ({
    ...{ ...is, name, directory: `/nowhere/replicas/${name}` },
    ...{ port: 10_005, run: 'run1' },
  }));
  // Nothing is read from a real disk, which may take longer than the clock here says.
  const unless = <T>(path: string, answer: () => Promise<T>) =>
    path.includes('/r1') ? new Promise<T>(() => {}) : answer();
  const host = new ReplicaHost({
    ...ports,
    files: {
      ...nodeFiles,
      readText: (path) => unless(path, async () => undefined),
      list: (path) => unless(path, absent),
    },
    notes: { ...ports.notes, readAll: async () => notes },
  });
  let isDone = false;
  const adopting = host.adopt(o.signal).then(() => {
    isDone = true;
  });
  for (let turn = 0; turn < 50 && !isDone; turn++) {
    await letWorkRun();
    await clock.advance(1_000);
  }
  expect(isDone).toBe(true);
  await adopting;
  expect(board.get({ kind: 'replica', name: 'r2' })).toMatchObject({ error: { code: 'STORAGE_DAEMON_ENDED' } });
  const leaving = new AbortController();
  const asked = host.ensure(
    { ...is, generation: 3, sizeBytes: 4096n, mayCreate: false, rebuilding: false },
    { signal: leaving.signal },
  );
  leaving.abort(new Error('it is still being taken over'));
  await expect(asked).rejects.toThrow('it is still being taken over');
});
