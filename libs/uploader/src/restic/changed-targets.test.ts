import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '@lateen/kernel';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { systemPrograms } from '../attributes/programs.ts';
import { changedTargets } from './changed-targets.ts';

describe('links whose targets restic changes', () => {
  let volumePath: string;
  beforeEach(() => {
    volumePath = mkdtempSync(join(tmpdir(), 'lateen-targets-'));
  });
  afterEach(() => rmSync(volumePath, { recursive: true }));

  const warningOf = (script: string) => {
    execFileSync('bash', ['-euc', script], { cwd: volumePath });
    const child = { clock: systemClock, graceMs: 1_000, path: process.env.PATH, scratchDirectory: volumePath };
    return changedTargets({ programs: systemPrograms(child), volumePath, signal: new AbortController().signal });
  };

  it('are named with their targets', async () => {
    const script = String.raw`mkdir $'d\xff'; ln -s $'caf\xe9' $'d\xff'/l; ln -s ü text; ln -s plain $'p\xff'; : > $'f\xff'`;
    expect(await warningOf(script)).toMatch(/^the targets of 1 links are not UTF-8: .*: "d\\xff\/l" to "caf\\xe9"$/);
  });

  it('are counted when there are many', async () => {
    expect(await warningOf(String.raw`for i in {1..9}; do ln -s $'\xe9' $i; done`)).toMatch(
      /^the targets of 9 links .*; …$/,
    );
  });

  it('are usually none', async () => expect(await warningOf('ln -s nowhere l; mkdir d')).toBeUndefined());
});
