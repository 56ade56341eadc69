import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemRandom } from '@lateen/kernel';
import { FakeClock, recordingLog } from '@lateen/testing';
import { programBeside } from '@lateen/worker-pool';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

let workDirectory: string;
beforeEach(async () => {
  workDirectory = await mkdtemp(join(tmpdir(), 'lateen-session-program-'));
});
afterEach(() => rm(workDirectory, { recursive: true }));

describe('the program of sessions', () => {
  it('is found beside the mover, runs the given engine, and leaves no file', async () => {
    const program: typeof import('./repository-session.ts') = await import(
      programBeside('repository-session', import.meta.url).href
    );
    const asked: string[] = [];
    const run = async ({ args }: { args: readonly string[] }) => {
      asked.push(args[0] ?? '');
      return { exitCode: 0, endedBy: undefined, stdout: 'v9.1.0 build: x', stderr: '', aborted: false };
    };
    const location = {
      provider: 'fs',
      name: 'l',
      bucket: '',
      prefix: '',
      readOnly: false,
      path: workDirectory,
    } as const;
    const restated = program.restateSnapshotTags(
      {
        target: { location, volumeNamespace: 'shop', password: 'hunter2', uid: 'U', cacheLimitMB: 1 },
        engine: { process: { run }, workDirectory, environment: {} },
        clock: new FakeClock('2030-01-01T00:00:00Z'),
        random: systemRandom,
        log: recordingLog(),
      },
      { snapshotID: 'id', source: { path: 'p', tags: {} }, signal: new AbortController().signal },
    );
    await expect(restated).rejects.toMatchObject({ code: 'REPOSITORY_SERVER_UNSUPPORTED' });
    // The server is started at the same time.
    expect(asked).toContain('--version');
    const left = await readdir(workDirectory, { recursive: true, withFileTypes: true });
    expect(left.filter((entry) => entry.isFile())).toEqual([]);
  });
});
