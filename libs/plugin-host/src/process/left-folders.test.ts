import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '@lateen/kernel';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { removeLeftFolders } from './left-folders.ts';

let directory = '';
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'left-folders-'));
});
afterEach(() => rm(directory, { recursive: true, force: true }));

async function folder(name: string, ageMs: number): Promise<string> {
  const path = join(directory, name);
  await mkdir(path);
  await writeFile(join(path, 'file'), '');
  const at = new Date(systemClock.now() - ageMs);
  await utimes(path, at, at);
  return path;
}

it('deletes what ended processes have left, and nothing of running or starting ones', async () => {
  await folder('plugin-left', 120_000);
  await folder('plugin-young', 1_000);
  await folder('other', 120_000);
  const used = await folder('plugin-used', 120_000);
  const running = spawn('/bin/sh', ['-c', 'echo here; read -r line'], {
    // A program that is being replaced by exec shows no environment for a moment.
    env: { PATH: '/usr/bin:/bin', TMPDIR: used },
  });
  try {
    await once(running.stdout, 'data');
    await removeLeftFolders(directory, 60_000, systemClock);
    expect((await readdir(directory)).sort()).toEqual(['other', 'plugin-used', 'plugin-young']);
  } finally {
    running.kill('SIGKILL');
    await once(running, 'exit');
  }
});

it('does nothing without the folder', async () => {
  await removeLeftFolders(join(directory, 'none'), 60_000, systemClock);
});
