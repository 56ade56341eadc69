import { appendFile, mkdtemp, readdir, readFile, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { boundLogs } from './bound-logs.ts';

let directory = '';
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'lateen-logs-'));
});
afterEach(() => rm(directory, { recursive: true, force: true }));

it('rotates a log that has become too long, while its process continues to write', async () => {
  const path = join(directory, 'r-1.log');
  await writeFile(path, 'x'.repeat(11));
  await boundLogs(directory, { fileBytesMax: 10, filesMax: 10 });
  await appendFile(path, 'next');
  expect(await readFile(path, 'utf8')).toBe('next');
  expect(await readFile(`${path}.before`, 'utf8')).toBe('x'.repeat(11));
  await boundLogs(directory, { fileBytesMax: 10, filesMax: 10 });
  expect(await readFile(path, 'utf8')).toBe('next');
});

it('keeps the logs that were written last', async () => {
  for (const age of [1, 2, 3, 4]) {
    const path = join(directory, `r-${age}.log`);
    await writeFile(path, 'x');
    await utimes(path, 1_000_000 - age, 1_000_000 - age);
  }
  await boundLogs(directory, { fileBytesMax: 10, filesMax: 2 });
  expect((await readdir(directory)).sort()).toEqual(['r-1.log', 'r-2.log']);
});
