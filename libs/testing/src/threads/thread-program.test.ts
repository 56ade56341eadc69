import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { threadProgram } from './thread-program.ts';

const source = new URL('./program-of-tests.ts', import.meta.url);
let directory: string;
beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'lateen-thread-program-'));
});
afterAll(() => rmSync(directory, { recursive: true }));

/** In a thread whose Node takes no types out. */
async function firstWord(program: URL): Promise<unknown> {
  const thread = new Worker(program, { execArgv: ['--no-experimental-strip-types'] });
  const [word] = await once(thread, 'message');
  return word;
}

describe('threadProgram', () => {
  it('makes a program in which Node has no types to take out', async () => {
    expect(await firstWord(await threadProgram(source, directory))).toBe('CAME_HERE');
  });

  it('which its source is not', async () => {
    await expect(firstWord(source)).rejects.toMatchObject({ code: 'ERR_UNKNOWN_FILE_EXTENSION' });
  });
});
