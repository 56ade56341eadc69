import { describe, expect, it } from 'vitest';
import { Places, type WaitingLine } from './places.ts';
import { semaphore } from './semaphore.ts';

describe('Places', () => {
  function asked(max: number, line?: WaitingLine<number>) {
    const places = new Places<number>(max, line);
    const woken: string[] = [];
    return { places, woken, ask: (key: string, ask = 0) => places.tryTake(key, ask, () => woken.push(key)) };
  }

  it('are given to the one who has waited longest; a repeated request keeps its position', () => {
    const { places, woken, ask } = asked(1);
    for (const key of ['a', 'b', 'c', 'b']) ask(key);
    places.release('a');
    expect([woken, ask('b'), places.taken, places.waiting]).toEqual([['b'], true, 1, 1]);
    places.release('a');
    places.release('b');
    expect(woken).toEqual(['b', 'c']);
  });

  it('are given in the order of the comparison, with the latest value of each request', () => {
    const asks = new Map<string, number>();
    const leastFirst: WaitingLine<number> = {
      get size() {
        return asks.size;
      },
      add: (key, ask) => asks.set(key, ask),
      remove: (key) => asks.delete(key),
      next: () => [...asks].sort(([, one], [, other]) => one - other)[0]?.[0],
    };
    const { places, woken, ask } = asked(1, leastFirst);
    ask('a');
    ask('late', 30);
    ask('early', 10);
    ask('changed', 40);
    ask('changed', 5);
    for (const key of ['a', 'changed', 'early']) places.release(key);
    expect(woken).toEqual(['changed', 'early', 'late']);
  });

  it('cannot be taken by a newcomer while they are being handed over', () => {
    const { places, ask } = asked(1);
    ask('a');
    ask('b');
    places.release('a');
    expect([ask('late'), ask('b')]).toEqual([false, true]);
  });

  it('may be exceeded by work that already runs, and wake nobody until one is free', () => {
    const { places, woken, ask } = asked(1);
    places.force('a');
    places.force('b');
    ask('c');
    places.release('a');
    expect(woken).toEqual([]);
    places.release('b');
    expect(woken).toEqual(['c']);
  });

  it('drop requests that no longer wait', () => {
    const { places, woken, ask } = asked(1);
    for (const key of ['a', 'b', 'c']) ask(key);
    places.release('b');
    places.release('a');
    expect(woken).toEqual(['c']);
  });
});

describe('semaphore', () => {
  const one = (waitingMax: number) =>
    semaphore({ placesMax: 1, waitingMax, full: () => new RangeError('too many wait') });

  it('admits as many as it has places, and the others in order', async () => {
    const { take } = one(2);
    const entered: string[] = [];
    const enter = (name: string) => take().then((release) => [entered.push(name), release] as const);
    const [, releaseA] = await enter('a');
    const [b, c] = [enter('b'), enter('c')];
    releaseA();
    releaseA();
    const [, releaseB] = await b;
    expect(entered).toEqual(['a', 'b']);
    releaseB();
    await c;
    expect(entered).toEqual(['a', 'b', 'c']);
  });

  it('rejects when too many wait', async () => {
    const { take } = one(1);
    await take();
    void take();
    await expect(take()).rejects.toThrow('too many wait');
  });

  it('releases an aborted waiter, and admits the next one', async () => {
    const { take } = one(2);
    const release = await take();
    const stop = new AbortController();
    const aborted = take(stop.signal);
    const next = take();
    stop.abort(new Error('enough'));
    await expect(aborted).rejects.toThrow('enough');
    release();
    await expect(next).resolves.toBeTypeOf('function');
    await expect(take(stop.signal)).rejects.toThrow('enough');
  });
});
