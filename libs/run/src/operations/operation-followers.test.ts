import type { RestoreOperation } from '@lateen/backup-store';
import type { OperationProgress } from '@lateen/item-actions';
import { FakeClock, letWorkRun, recordingLog } from '@lateen/testing';
import { expect, it } from 'vitest';
import type { RunObject } from '../run-object.ts';
import { operationFollowers } from './operation-followers.ts';

const operation = (operationID: string) =>
  ({ spec: { operationID, restoreItemAction: 'mover' }, status: { phase: 'New' } }) as unknown as RestoreOperation;
const run = { metadata: { name: 'r', namespace: 'velero', uid: 'u' } } as RunObject;

function followed() {
  const clock = new FakeClock();
  const watch = Promise.withResolvers<void>();
  let tell: (id: string, said: OperationProgress) => void = () => {};
  const mover = {
    name: 'mover',
    watchOperations: async (_: object, onChange: typeof tell) => {
      tell = onChange;
      await watch.promise;
    },
  };
  const kind = {
    clock,
    log: recordingLog(),
    actions: [mover],
    actionOf: ({ spec }: RestoreOperation) => spec.restoreItemAction,
    contextOf: () => ({}),
  };
  const followers = operationFollowers<RunObject, RestoreOperation, object>(kind, () => {});
  const operations = ['told', 'never told'].map(operation);
  const follower = followers.begin(run, operations, new AbortController().signal);
  tell('told', { completed: false });
  /** Asks for each operation that may be asked about, and returns which. */
  const ask = async (afterMs: number) => {
    await clock.advance(afterMs);
    const some = operations.filter((each) => follower.mayAsk(each, clock.monotonicMs()));
    for (const { spec } of some) follower.asked(spec.operationID, { completed: false });
    return some.map(({ spec }) => spec.operationID);
  };
  return { ask, watch };
}

it('asks for watched operations every five minutes, and for the others every ten seconds', async () => {
  const { ask } = followed();
  expect(await ask(9_999)).toEqual([]);
  expect(await ask(1)).toEqual(['never told']);
  expect(await ask(10_000)).toEqual(['never told']);
  expect(await ask(280_000)).toEqual(['told', 'never told']);
  expect(await ask(10_000)).toEqual(['never told']);
  expect(await ask(290_000)).toEqual(['told', 'never told']);
});

it('asks for all operations repeatedly when the watch is broken', async () => {
  const { ask, watch } = followed();
  watch.reject(new Error('gone'));
  await letWorkRun();
  expect(await ask(10_000)).toEqual(['told', 'never told']);
  expect(await ask(10_000)).toEqual(['told', 'never told']);
});
