import type { EngineState, Instance, InstanceEvent, ReplicaLink } from '@lateen/block-engine';
import { FakeClock } from '@lateen/testing';
import { expect, it } from 'vitest';
import { engineSink } from './engine-sink.ts';

const o = { signal: new AbortController().signal };
const of = { engine: 'v-e-0', generation: 3 };
const running: Instance = {
  ...{ kind: 'engine', name: 'v-e-0', volume: 'v', generation: 3, state: 'running', uuid: 'u1', endpoint: '/e/nbd' },
  engine: { sizeBytes: 4096n } as EngineState,
};

/** An engine that returns these at the first and the second request. */
function world(...told: (Instance | undefined)[]) {
  let [questions, closed] = [0, 0];
  const link = { sizeBytes: 8192n, [Symbol.asyncDispose]: async () => void closed++ } as unknown as ReplicaLink;
  const sink = engineSink(
    {
      clock: new FakeClock(),
      connectHost: () => ({
        watch: async function* (): AsyncGenerator<InstanceEvent, never, undefined> {
          const instance = told[questions++] ?? told.at(-1);
          if (instance !== undefined) yield { type: 'changed', instance };
          yield { type: 'synced' };
          return await new Promise<never>(() => {});
        },
        [Symbol.dispose]: () => {},
      }),
      connectVolume: async () => link,
    },
    of,
    o,
  );
  return { sink, closed: () => closed };
}

it('has the size of the volume without the reserve of its front end', async () => {
  const { sink, closed } = world(running);
  const opened = await sink;
  expect(opened.sizeBytes).toBe(4096n);
  await opened[Symbol.asyncDispose]();
  expect(closed()).toBe(1);
});

it.each([
  { what: 'another generation', told: { ...running, generation: 4 }, code: 'GENERATION_OVER' },
  { what: 'one that stops', told: { ...running, state: 'stopping' as const }, code: 'INSTANCE_NOT_FOUND' },
  { what: 'none', told: undefined, code: 'INSTANCE_NOT_FOUND' },
])('rejects $what', async ({ told, code }) => {
  await expect(world(told).sink).rejects.toMatchObject({ code });
});

it('never writes to another engine that was started under the same path', async () => {
  const { sink, closed } = world(running, { ...running, uuid: 'u2' });
  await expect(sink).rejects.toMatchObject({ code: 'GENERATION_OVER' });
  expect(closed()).toBe(1);
});
