import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '@lateen/kernel';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { checkoutCommit } from './checkout-commit.ts';

let root: string;
/** No user settings: a user may sign commits or have hooks. */
const env = { PATH: process.env.PATH, GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_SYSTEM: '/dev/null' };
const git = (...args: string[]): string =>
  execFileSync('git', ['-C', root, '-c', 'user.name=n', '-c', 'user.email=e@x.test', ...args], {
    env,
    encoding: 'utf8',
  });

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'lateen-checkout-'));
});
afterEach(() => rmSync(root, { recursive: true }));

describe('checkoutCommit', () => {
  it('is the full commit ID, with or without tags, and reports modified files', async () => {
    git('init', '-q');
    writeFileSync(join(root, 'file'), 'one');
    git('add', 'file');
    git('commit', '-q', '-m', 'first');
    git('tag', '-a', 'v1', '-m', 'v1');
    const commit = git('rev-parse', 'HEAD').trim();
    expect(await checkoutCommit(root, env, systemClock)).toBe(commit);
    writeFileSync(join(root, 'file'), 'two');
    expect(await checkoutCommit(root, env, systemClock)).toBe(`${commit}-dirty`);
    const inside = join(root, 'node_modules');
    mkdirSync(inside);
    expect(await checkoutCommit(inside, env, systemClock)).toBeUndefined();
  });

  it('is unknown without a checkout, a commit, or git', async () => {
    expect(await checkoutCommit(root, env, systemClock)).toBeUndefined();
    git('init', '-q');
    expect(await checkoutCommit(root, env, systemClock)).toBeUndefined();
    expect(await checkoutCommit(root, { PATH: root }, systemClock)).toBeUndefined();
  });
});
