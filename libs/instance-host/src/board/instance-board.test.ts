import { hostHeartbeatMs, type Instance, type InstanceEvent } from '@lateen/block-engine';
import { FakeClock, letWorkRun } from '@lateen/testing';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { InstanceBoard } from './instance-board.ts';

const never = { signal: new AbortController().signal };
const instance = (name: string, uuid = '1'): Instance => ({
  kind: 'replica',
  name,
  volume: 'v',
  generation: 1,
  state: 'running',
  uuid,
});
const changed = (name: string, uuid = '1'): InstanceEvent => ({ type: 'changed', instance: instance(name, uuid) });
const gone = (name: string): InstanceEvent => ({ type: 'gone', instance: { kind: 'replica', name } });

function world() {
  const clock = new FakeClock('2030-01-01T00:00:00Z');
  return { clock, board: new InstanceBoard(clock) };
}
async function take(events: AsyncIterator<InstanceEvent>, count: number): Promise<InstanceEvent[]> {
  const taken: InstanceEvent[] = [];
  while (taken.length < count) taken.push((await events.next()).value);
  return taken;
}

describe('a watch', () => {
  it('begins with the whole state, then sends each change', async () => {
    const { board } = world();
    board.set(instance('a'));
    board.set(instance('b'));
    const events = board.watch(never);
    expect(await take(events, 3)).toEqual([changed('a'), changed('b'), { type: 'synced' }]);
    const next = events.next();
    board.set(instance('a', '2'));
    expect((await next).value).toEqual(changed('a', '2'));
    board.remove({ kind: 'replica', name: 'b' });
    expect(await take(events, 1)).toEqual([gone('b')]);
  });

  it('sends a slow reader the latest state of each instance once', async () => {
    const { board } = world();
    const events = board.watch(never);
    await take(events, 1);
    for (let uuid = 0; uuid < 1_000; uuid++) board.set(instance(`r-${uuid % 2}`, `${uuid}`));
    expect(await take(events, 2)).toEqual([changed('r-0', '998'), changed('r-1', '999')]);
  });

  it('sends nothing for unchanged state', async () => {
    const { board, clock } = world();
    board.set(instance('a'));
    const events = board.watch(never);
    await take(events, 2);
    board.set(instance('a'));
    board.remove({ kind: 'replica', name: 'none' });
    const next = events.next();
    await letWorkRun();
    await clock.advance(hostHeartbeatMs);
    expect((await next).value).toEqual({ type: 'heartbeat', atMs: clock.now() });
  });

  it('sends heartbeats while nothing changes', async () => {
    const { board, clock } = world();
    const events = board.watch(never);
    await take(events, 1);
    for (let beat = 0; beat < 3; beat++) {
      const next = events.next();
      await letWorkRun();
      await clock.advance(hostHeartbeatMs);
      expect((await next).value).toEqual({ type: 'heartbeat', atMs: clock.now() });
    }
  });

  it('ends with the reason of the abort, and does not begin after it', async () => {
    const { board } = world();
    const stop = new AbortController();
    const events = board.watch(stop);
    await take(events, 1);
    const next = events.next();
    stop.abort(new Error('enough'));
    await expect(next).rejects.toThrow('enough');
    await expect(board.watch(stop).next()).rejects.toThrow('enough');
  });
});

it('gives every reader that applies all events the state of the board, at any reading speed', async () => {
  const step = fc.oneof(
    fc.record({
      do: fc.constant('set' as const),
      name: fc.constantFrom('a', 'b', 'c'),
      uuid: fc.constantFrom('1', '2'),
    }),
    fc.record({ do: fc.constant('remove' as const), name: fc.constantFrom('a', 'b', 'c') }),
    fc.record({ do: fc.constant('read' as const) }),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (done) => {
      const { board, clock } = world();
      const known = new Map<string, Instance>();
      board.set(instance('a'));
      const events = board.watch(never);
      const read = async () => {
        const { value } = await events.next();
        if (value.type === 'changed') known.set(value.instance.name, value.instance);
        if (value.type === 'gone') known.delete(value.instance.name);
        return value.type;
      };
      while ((await read()) !== 'synced');
      let waiting: ReturnType<typeof read> | undefined;
      for (const one of done) {
        if (one.do === 'set') board.set(instance(one.name, one.uuid));
        else if (one.do === 'remove') board.remove({ kind: 'replica', name: one.name });
        else {
          await letWorkRun();
          waiting ??= read().finally(() => {
            waiting = undefined;
          });
        }
      }
      for (let type = ''; type !== 'heartbeat'; ) {
        const reading = waiting ?? read();
        await letWorkRun();
        await clock.advance(hostHeartbeatMs);
        type = await reading;
      }
      expect([...known.values()].sort(byName)).toEqual([...board.all()].sort(byName));
    }),
    { numRuns: 60 },
  );
});

const byName = (a: Instance, b: Instance) => a.name.localeCompare(b.name);
