import { describe, expect, it } from 'vitest';
import { goVariables } from './go-runtime.ts';

describe('the Go runtime of an engine', () => {
  it('sets no variables without limits', () => expect(goVariables({})).toEqual({}));
  it('sets the variables of the Go runtime from the known limits', () => {
    const known = { memoryLimitBytes: 1_000_000.7, gcPercent: 50, processors: 2 };
    expect(goVariables(known)).toEqual({ GOMEMLIMIT: '1000000B', GOGC: '50', GOMAXPROCS: '2' });
  });
});
