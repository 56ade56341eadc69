import { describe, expect, it } from 'vitest';
import { Places, type WaitingLine } from './places.ts';
import { semaphore } from './semaphore.ts';

describe('Places', () => {
  function asked(max: number, line?: WaitingLine<number>) {
    const places = new Places<number>(max, line);
    const woken: string[] = [];
    return { places, woken, ask: (key: string, ask = 0) => places.tryTake(key, ask, () => woken.push(key)) };
  }

  it('go to who has waited longest; asking again keeps the turn', () => {
    const { places, woken, ask } = asked(1);
    for (const key of ['a', 'b', 'c', 'b']) ask(key);
    places.release('a');
    expect([woken, ask('b'), places.taken, places.waiting]).toEqual([['b'], true, 1, 1]);
    places.release('a');
    places.release('b');
    expect(woken).toEqual(['b', 'c']);
  });

  it('go in the order of the line that they are given, by what was asked last', () => {
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

  it('cannot be taken by who comes while they are handed over', () => {
    const { places, ask } = asked(1);
    ask('a');
    ask('b');
    places.release('a');
    expect([ask('late'), ask('b')]).toEqual([false, true]);
  });

  it('may be exceeded by what has begun already, and wake nobody until there is room', () => {
    const { places, woken, ask } = asked(1);
    places.force('a');
    places.force('b');
    ask('c');
    places.release('a');
    expect(woken).toEqual([]);
    places.release('b');
    expect(woken).toEqual(['c']);
  });

  it('forget who waits no more', () => {
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

  it('lets in as many as it has places, the others in their order', async () => {
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

  it('refuses when as many wait as may', async () => {
    const { take } = one(1);
    await take();
    void take();
    await expect(take()).rejects.toThrow('too many wait');
  });

  it('lets go of who is aborted, whose turn then goes to the next', async () => {
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
