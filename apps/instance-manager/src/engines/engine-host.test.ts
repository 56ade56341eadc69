import type { EnsureEngine, Instance, InstanceEvent, InstanceHost } from '@lateen/block-engine';
import { InstanceBoard, type KeptProcess, type WantedProcess } from '@lateen/instance-host';
import { orAborted, silentLogger, systemRandom } from '@lateen/kernel';
import { FakeClock, letWorkRun } from '@lateen/testing';
import { describe, expect, it } from 'vitest';
import { placesOf } from '../places.ts';
import { EngineHost } from './engine-host.ts';

const request: EnsureEngine = {
  ...{ name: 'v-e-0', volume: 'v', volumeUid: 'uid', generation: 7, sizeBytes: 4096n, replicas: [] },
  ...{ replyTimeoutMs: 8_000, compareHeads: false },
  record: { namespace: 'ns', engine: 'v-e-0', engineUid: 'e', replicas: {} },
};
const running: Instance = {
  ...{ kind: 'engine', name: 'v-e-0', volume: 'v', generation: 7, state: 'running', uuid: 'u' },
};
const never = new Promise<never>(() => {});

/** Engines whose processes run, and answer when the test says so. */
function rig() {
  const board = new InstanceBoard(new FakeClock('2030-01-01T00:00:00Z'));
  const wanted = new Map<string, WantedProcess>();
  const told = Promise.withResolvers<Instance>();
  const at = { answers: true, health: 'answers' as KeptProcess['health'] };
  const engine: Partial<InstanceHost> & Disposable = {
    info: ({ signal }) => (at.answers ? Promise.resolve({} as never) : orAborted(never, signal)),
    ensureEngine: async () => ({ ...running, state: 'starting' }),
    watch: async function* (): AsyncGenerator<InstanceEvent, never, undefined> {
      yield { type: 'changed', instance: await told.promise };
      return await never;
    },
    [Symbol.dispose]: () => {},
  };
  const host = new EngineHost(
    {
      board,
      keeper: {
        want: (process) => void wanted.set(process.id, process),
        unwant: () => {},
        look: async () => ({
          processes: [...wanted.values()].map((process) => ({ ...process, health: at.health })),
          unknown: [],
        }),
      },
      notes: { readAll: async () => [], write: async () => {}, remove: async () => {} },
      ...{
        places: placesOf('/nowhere/run'),
        files: { makeDirectory: async () => {} },
        command: async () => ['engine'],
      },
      connect: () => engine as InstanceHost & Disposable,
      ...{ clock: new FakeClock('2030-01-01T00:00:00Z'), random: systemRandom, log: silentLogger },
    },
    new AbortController().signal,
  );
  /** The caller leaves before the process answers. */
  const leave = async () => {
    at.answers = false;
    const leaving = new AbortController();
    const asked = host.ensure(request, { signal: leaving.signal });
    await letWorkRun();
    leaving.abort(new Error('the manager was restarted'));
    await expect(asked).rejects.toThrow('the manager was restarted');
    at.answers = true;
  };
  const again = () => host.ensure(request, { signal: new AbortController().signal });
  const shown = () => board.get({ kind: 'engine', name: 'v-e-0' });
  return { at, told, leave, again, shown };
}

describe('the start of an engine whose caller goes away', () => {
  it('is continued by the next call, and later states of the engine are reported', async () => {
    const { told, leave, again, shown } = rig();
    await leave();
    expect(shown()).toMatchObject({ state: 'starting' });
    await again();
    told.resolve(running);
    await letWorkRun();
    expect(shown()).toMatchObject({ state: 'running' });
  });

  it('ends when its process is gone by the next call: it is reported as an error, so that another generation starts', async () => {
    const { at, leave, again, shown } = rig();
    await leave();
    at.health = 'gone';
    await expect(again()).rejects.toMatchObject({ code: 'GENERATION_OVER' });
    expect(shown()).toMatchObject({ state: 'error', error: { code: 'ENGINE_ENDED' } });
  });
});
