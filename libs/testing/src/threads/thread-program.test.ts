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

/** In a thread of a Node that does not strip types. */
async function firstWord(program: URL): Promise<unknown> {
  const thread = new Worker(program, { execArgv: ['--no-experimental-strip-types'] });
  const [word] = await once(thread, 'message');
  return word;
}

describe('threadProgram', () => {
  it('builds a program without types, which Node need not strip', async () => {
    expect(await firstWord(await threadProgram(source, directory))).toBe('CAME_HERE');
  });

  it('shows that its source has types', async () => {
    await expect(firstWord(source)).rejects.toMatchObject({ code: 'ERR_UNKNOWN_FILE_EXTENSION' });
  });
});
