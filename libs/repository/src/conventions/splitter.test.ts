import { describe, expect, it } from 'vitest';
import { blockSplitterOf, splitterNames, splitterOf } from './splitter.ts';

describe('splitterOf', () => {
  it.each([
    [undefined, undefined],
    [null, undefined],
    [{}, undefined],
    [{ ParallelFilesUpload: '4' }, undefined],
    [{ splitter: '' }, undefined],
    [{ splitter: 'FIXED-4M' }, 'FIXED-4M'],
    [{ Splitter: 'DYNAMIC-1M-BUZHASH' }, 'DYNAMIC-1M-BUZHASH'],
  ])('%j selects %s', (config, splitter) => expect(splitterOf(config)).toBe(splitter));

  it.each(['fixed-4m', 'FIXED-3M', 'FIXED-4M ', 'DYNAMIC', 'inherit', '--help'])(
    'rejects %j and lists the known splitters',
    (splitter) => {
      expect(() => splitterOf({ splitter })).toThrow(
        expect.objectContaining({
          code: 'SPLITTER_UNKNOWN',
          message: `dataMoverConfig.splitter "${splitter}" is not a splitter of kopia`,
          nextStep: expect.stringContaining('FIXED-4M, '),
        }),
      );
    },
  );
});

describe('blockSplitterOf', () => {
  it.each([
    [undefined, undefined, undefined],
    [null, undefined, undefined],
    [{ cacheLimitMB: '100' }, undefined, undefined],
    [{ blockSplitter: '' }, undefined, undefined],
    [{ blockSplitter: 'FIXED-1M' }, 'FIXED-1M', undefined],
    [{ blockSplitter: 'FIXED-1MB' }, undefined, 'FIXED-1MB'],
  ])('%j selects %s and reports %s as unknown', (config, splitter, unknown) =>
    expect(blockSplitterOf(config)).toEqual({ splitter, unknown }),
  );

  it('lists 21 splitters, each once', () => expect(new Set(splitterNames).size).toBe(21));
});
