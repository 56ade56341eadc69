import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ConnectedKeys } from './connected.ts';

const key = fc.constantFrom(...'abcdefgh');

describe('ConnectedKeys', () => {
  it('joins keys through chains, in the order in which they were added', () => {
    const keys = new ConnectedKeys();
    for (const each of ['pod a', 'claim 1', 'pod b', 'alone', 'claim 2']) keys.add(each);
    keys.join('pod b', 'claim 2');
    keys.join('claim 2', 'claim 1');
    keys.join('pod a', 'claim 1');
    expect(keys.sets()).toEqual([['pod a', 'claim 1', 'pod b', 'claim 2'], ['alone']]);
  });

  it('has two keys in one set exactly when joins connect them', () => {
    void fc.assert(
      fc.property(fc.array(fc.tuple(key, key)), (joins) => {
        const keys = new ConnectedKeys();
        const reachable = new Map<string, Set<string>>();
        for (const [one, other] of joins) {
          keys.join(one, other);
          const both = new Set([one, other, ...(reachable.get(one) ?? []), ...(reachable.get(other) ?? [])]);
          for (const each of both) reachable.set(each, both);
        }
        const expected = new Set([...reachable.values()].map((set) => [...set].sort().join()));
        expect(new Set(keys.sets().map((set) => set.toSorted().join()))).toEqual(expected);
      }),
    );
  });
});
