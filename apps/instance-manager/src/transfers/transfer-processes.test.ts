import { hostError, type Instance, type InstanceHost, type TransferProgress } from '@lateen/block-engine';
import { InstanceBoard, type KeptProcess, type WantedProcess } from '@lateen/instance-host';
import { silentLogger, systemRandom } from '@lateen/kernel';
import { FakeClock, letWorkRun } from '@lateen/testing';
import { describe, expect, it } from 'vitest';
import type { ChildNote } from '../children/child-note.ts';
import { placesOf } from '../places.ts';
import { TransferProcesses } from './transfer-processes.ts';

const { signal } = new AbortController();

/** Transfers whose processes are in memory: the test sets the state of each. */
function rig() {
  const clock = new FakeClock('2030-01-01T00:00:00Z');
  const board = new InstanceBoard(clock);
  const wanted = new Map<string, WantedProcess>();
  const notes = new Map<string, ChildNote>();
  const dead = new Set<string>();
  let said = new InstanceBoard(clock);
  const starts: string[] = [];
  const says = (progress: Omit<TransferProgress, 'name'>, state: Instance['state'] = 'running') => {
    const { error } = progress;
    const shown = { kind: 'transfer', name: 'b-1', volume: 'v', generation: 0, state, uuid: 'own' } as const;
    said.set({ ...shown, transfer: { name: 'b-1', ...progress }, ...(error === undefined ? {} : { error }) });
  };
  const child: Partial<InstanceHost> & Disposable = {
    info: async () => ({}) as never,
    watch: (o) => said.watch(o),
    startBackup: async function* () {
      starts.push('begun');
      says({ doneBytes: 0n, totalBytes: 0n, ended: false });
      yield { name: 'b-1', doneBytes: 0n, totalBytes: 0n, ended: false };
      await new Promise(() => {});
    },
    [Symbol.dispose]: () => {},
  };
  const kept = (): KeptProcess[] =>
    [...wanted.values()].map((one) => ({ ...one, health: dead.has(one.run) ? 'gone' : 'answers' }));
  const ports = {
    ...{ board, clock, random: systemRandom, log: silentLogger, places: placesOf('/nowhere/run') },
    keeper: {
      want: (process: WantedProcess) => {
        said = new InstanceBoard(clock);
        wanted.set(process.id, process);
      },
      unwant: (id: string) => void wanted.delete(id),
      look: async () => ({ processes: kept(), unknown: [] }),
    },
    notes: {
      readAll: async () => [...notes.values()],
      write: async (note: ChildNote) => void notes.set(note.name, note),
      remove: async (name: string) => void notes.delete(name),
    },
    files: { makeDirectory: async () => {} },
    command: async () => ['transfer'],
    connect: () => child as InstanceHost & Disposable,
  };
  const make = () => new TransferProcesses(ports, signal);
  const transfers = make();
  const told: TransferProgress[] = [];
  const ask = async (of: TransferProcesses = transfers, check = async () => {}) => {
    const begin = (host: InstanceHost, o: { signal: AbortSignal }) => host.startBackup({} as never, o);
    for await (const progress of of.run({ name: 'b-1', volume: 'v', check, begin }, { signal })) told.push(progress);
    return told.at(-1);
  };
  const kill = async () => {
    for (const { run } of wanted.values()) dead.add(run);
    await transfers.noticed({ processes: kept(), unknown: [] }, signal);
  };
  /** Folders of ended processes are really removed, on a machine that may be busy. */
  const begun = (times: number) => expect.poll(() => starts.length, { timeout: 20_000 }).toBe(times);
  return { transfers, make, ask, begun, says, kill, starts, notes, board, wanted };
}

const done = { doneBytes: 4n, totalBytes: 4n, ended: true, url: 's3://x' };

describe('transfers in separate processes', () => {
  it('report progress and end, also to a repeated request after a restart, and end their process', async () => {
    const { ask, begun, make, says, starts, wanted } = rig();
    const asked = ask();
    await begun(1);
    says({ doneBytes: 2n, totalBytes: 4n, ended: false });
    await letWorkRun();
    says(done, 'stopped');
    expect(await asked).toMatchObject(done);
    await expect.poll(() => [...wanted.keys()]).toEqual([]);
    const next = make();
    await next.adopt(signal);
    expect(await ask(next)).toMatchObject(done);
    expect(starts).toHaveLength(1);
  });

  it('that were killed report that, and are started again', async () => {
    const { ask, begun, kill, says } = rig();
    const asked = ask();
    await begun(1);
    await kill();
    expect(await asked).toMatchObject({ ended: true, error: { code: 'TRANSFER_ENDED' } });
    const again = ask();
    await begun(2);
    says(done, 'stopped');
    expect((await again)?.error).toBeUndefined();
  });

  it('that have failed report it until they are stopped', async () => {
    const { ask, begun, says, starts, transfers, notes, board } = rig();
    const asked = ask();
    await begun(1);
    const error = { code: 'BLOCK_STORE_FILE', message: 'cut' };
    says({ doneBytes: 0n, totalBytes: 0n, ended: true, error }, 'error');
    expect(await asked).toMatchObject({ error });
    expect(await ask()).toMatchObject({ error });
    expect(starts).toHaveLength(1);
    await transfers.stop({ kind: 'transfer', name: 'b-1', generation: 0 }, { signal });
    expect([notes.size, board.all().length]).toEqual([0, 0]);
  });

  it('that are impossible start no process', async () => {
    const { ask, transfers, wanted, notes, board } = rig();
    const check = () => Promise.reject(hostError('INSTANCE_NOT_FOUND', 'no replica'));
    await expect(ask(transfers, check)).rejects.toMatchObject({ code: 'INSTANCE_NOT_FOUND' });
    expect([wanted.size, notes.size, board.all().length]).toEqual([0, 0, 0]);
  });

  it('end the watches of their callers when they are stopped', async () => {
    const { ask, begun, transfers } = rig();
    const asked = expect(ask()).rejects.toMatchObject({ code: 'ABORTED' });
    await begun(1);
    await transfers.stop({ kind: 'transfer', name: 'b-1', generation: 0 }, { signal });
    await asked;
  });
});
