import type { EnsureFrontend } from '@lateen/block-engine';
import type { BlockFrontend, LetGo } from '@lateen/block-frontend';
import { InstanceBoard } from '@lateen/instance-host';
import { silentLogger, systemClock, systemRandom } from '@lateen/kernel';
import { expect, it } from 'vitest';
import { FrontendHost } from './frontend-host.ts';

const o = { signal: new AbortController().signal };
const name = { kind: 'frontend', name: 'v-e-0', generation: 7 } as const;
const request: EnsureFrontend = { ...name, volume: 'v', engine: 'v-e-0', sizeBytes: 4096n, readOnly: false };

it('removes a device only after the call that creates it, so that nothing is left of a request of an earlier manager', async () => {
  const board = new InstanceBoard(systemClock);
  const engine = { kind: 'engine', name: 'v-e-0', volume: 'v', generation: 7, state: 'running', uuid: 'u' } as const;
  board.set({ ...engine, endpoint: '/run/nbd' });
  const attaching = Promise.withResolvers<void>();
  const devices = new Set<string>();
  const frontend: Pick<BlockFrontend, 'look' | 'start' | 'stop'> = {
    look: async () => ({ kind: 'none' }),
    start: async ({ volume }) => {
      await attaching.promise;
      devices.add(volume);
      return { path: '/dev/loop0', sizeBytes: 4096, sizeBytesMax: 8192 };
    },
    stop: async (volume) => void devices.delete(volume),
  };
  const host = new FrontendHost({
    frontend: frontend as BlockFrontend,
    kind: 'nbdfuse',
    links: { pathOf: (volume) => `/dev/longhorn/${volume}`, set: async () => '', remove: async () => {} },
    notes: { readAll: async () => [], write: async () => {}, remove: async () => {} },
    ...{ board, exportName: 'volume', clock: systemClock, random: systemRandom, log: silentLogger },
  });
  const making = host.ensure(request, o);
  const ending = host.stop(name, o);
  setImmediate(attaching.resolve);
  await Promise.all([making, ending]);
  expect(devices.size).toBe(0);
  expect(board.get(name)).toBeUndefined();
});

it('keeps the devices of recorded volumes until they are stopped, and removes others at its start', async () => {
  const board = new InstanceBoard(systemClock);
  const removed: unknown[] = [];
  let kept: ReadonlySet<string> = new Set();
  const frontend: Pick<BlockFrontend, 'look' | 'detachLost'> = {
    look: async () => ({ kind: 'partial', reason: '/dev/loop0 is left' }),
    detachLost: async (wanted: ReadonlySet<string>, letGo: LetGo) => {
      kept = wanted;
      await letGo('lost', '/dev/loop1');
    },
  };
  const note = { ...name, volume: 'v', engine: 'v-e-0', run: 'r' };
  const host = new FrontendHost({
    frontend: frontend as BlockFrontend,
    kind: 'nbdfuse',
    links: { pathOf: (volume) => volume, set: async () => '', remove: async (...link) => void removed.push(link) },
    notes: { readAll: async () => [note], write: async () => {}, remove: async () => {} },
    ...{ board, exportName: 'volume', clock: systemClock, random: systemRandom, log: silentLogger },
  });
  await host.adopt(o.signal);
  expect([...kept]).toEqual(['v']);
  expect(removed).toEqual([['lost', '/dev/loop1']]);
  expect(board.get(name)).toMatchObject({ state: 'error', error: { code: 'FRONTEND_ENDED' } });
});
