import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { failurePrefix } from '@lateen/maintenance';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

const main = fileURLToPath(new URL('main.ts', import.meta.url));

describe('repo-maintenance as a process', { timeout: 120_000 }, () => {
  let directory: string;
  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'repo-maintenance-'));
  });
  afterEach(() => rm(directory, { recursive: true }));

  /** Its exit code and its termination message. */
  async function run(args: readonly string[], environment: Readonly<Record<string, string>>) {
    const log = join(directory, 'termination-log');
    const env = { PATH: process.env.PATH, LATEEN_TERMINATION_LOG: log, ...environment };
    const code = await new Promise((resolve) => {
      execFile(process.execPath, [main, ...args], { env }, (error) => resolve(error === null ? 0 : error.code));
    });
    return { code, message: await readFile(log, 'utf8').catch(() => '') };
  }

  it.each([
    [['maintain'], {}, 2, '--repo-name is required. See repo-maintenance --help.'],
    [['tidy', '--repo-name=r'], {}, 2, 'unknown command "tidy". See repo-maintenance --help.'],
    [['check', '--repo-name=r'], {}, 1, 'the environment variable VELERO_NAMESPACE is not set. The pod inherits'],
    [['check', '--repo-name=r'], { VELERO_NAMESPACE: 'velero' }, 1, 'this process does not run in a pod'],
  ])('given %j with %j, reports why it cannot start', async (args, environment, exitCode, reason) => {
    const { code, message } = await run(args, environment);
    expect(code).toBe(exitCode);
    expect(message.startsWith(failurePrefix + reason)).toBe(true);
  });

  it('prints help without a termination message', async () => {
    expect(await run(['--help'], {})).toEqual({ code: 0, message: '' });
  });
});
