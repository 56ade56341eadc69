import { describe, expect, it } from 'vitest';
import { parseReport, whatOf } from './timed-runner.ts';

describe('whatOf', () => {
  it.each([
    ['/cache/kopia', ['snapshot', 'create', '/v', '--json'], 'kopia+snapshot+create'],
    ['/cache/kopia', ['show', 'kb0c9c9d7d2302e7'], 'kopia+show'],
    ['/cache/kopia', ['--version'], 'kopia+--version'],
    ['partclone.ext4', ['--quiet'], 'partclone.ext4'],
  ])('%s %j is %s', (binary, args, what) => expect(whatOf(binary, args)).toBe(what));
});

describe('parseReport', () => {
  it('parses the output of bash', () => {
    expect(parseReport('kopia+policy+show 0.160 0.041 0.196\nfind 0.001 0.002 0.004\n')).toEqual([
      { what: 'kopia policy show', cpuMs: 201, ms: 196 },
      { what: 'find', cpuMs: 3, ms: 4 },
    ]);
  });
});
