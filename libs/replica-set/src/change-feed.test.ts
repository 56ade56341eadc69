import { describe, expect, it } from 'vitest';
import { ChangeFeed } from './change-feed.ts';
import type { ReplicaSetChange } from './replica-set.ts';

const added = (replica: string): ReplicaSetChange => ({ kind: 'added', replica });

async function all(changes: AsyncIterator<ReplicaSetChange>): Promise<string[]> {
  const seen: string[] = [];
  for (let next = await changes.next(); next.done !== true; next = await changes.next())
    seen.push('replica' in next.value ? next.value.replica : next.value.kind);
  return seen;
}

describe('ChangeFeed', () => {
  it('gives each reader each change since its start, and ends', async () => {
    const feed = new ChangeFeed(10);
    feed.tell(added('before'));
    const first = feed[Symbol.asyncIterator]();
    const waiting = all(first);
    feed.tell(added('a'));
    const second = feed[Symbol.asyncIterator]();
    feed.tell(added('b'));
    feed.end();
    expect([await waiting, await all(second)]).toEqual([['a', 'b'], ['b']]);
  });

  it('tells a slow reader that it has missed changes', async () => {
    const feed = new ChangeFeed(2);
    const reader = feed[Symbol.asyncIterator]();
    for (const name of ['a', 'b', 'c']) feed.tell(added(name));
    feed.end();
    expect(await all(reader)).toEqual(['missed', 'c']);
  });
});
