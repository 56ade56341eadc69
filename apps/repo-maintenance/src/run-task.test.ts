import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { backupRepositoryType, secretType } from '@lateen/api-types';
import { type Clock, silentLogger } from '@lateen/kernel';
import { forgetRequest } from '@lateen/maintenance';
import type { EngineExit, EngineProcess, EngineRun } from '@lateen/repository';
import { aBackupRepository, aBackupStorageLocation, aSecret, FakeClock, fakeCluster } from '@lateen/testing';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { parseFlags, type TaskFlags } from './flags.ts';
import { findRepository } from './open-session.ts';
import { reporter } from './reporter.ts';
import { runTask } from './run-task.ts';

const [password, newPassword, secretKey] = ['old-pass-word', 'new-pass-word', 'very-secret-key'];
const { signal } = new AbortController();
let workDirectory: string;

beforeEach(async () => {
  workDirectory = await mkdtemp(join(tmpdir(), 'lateen-repo-maintenance-'));
});
afterEach(() => rm(workDirectory, { recursive: true, force: true }));

/** An engine that answers by the first words of a command. */
function engineSaying(answers: Record<string, Partial<EngineExit>>): { process: EngineProcess; runs: EngineRun[] } {
  const runs: EngineRun[] = [];
  const run = async (request: EngineRun): Promise<EngineExit> => {
    runs.push(request);
    const command = request.args.join(' ');
    const answer = Object.entries(answers).find(([start]) => command.startsWith(start))?.[1];
    const exit = { exitCode: 0, endedBy: undefined, stdout: '', stderr: '', aborted: false, ...answer };
    await request.onStdout?.(Buffer.from(exit.stdout));
    request.onStderr?.(exit.stderr);
    return exit;
  };
  return { process: { run }, runs };
}

const info = (full: string, quick: string) =>
  JSON.stringify({
    owner: 'default@default',
    full: { interval: 86_400_000_000_000 },
    schedule: { nextFullMaintenance: full, nextQuickMaintenance: quick },
  });

function worldWith(
  given: { answers?: Record<string, Partial<EngineExit>>; readOnly?: boolean; type?: 'kopia' | 'restic' } = {},
) {
  const clock: Clock = new FakeClock('2030-01-01T12:00:00Z');
  const { process, runs } = engineSaying(given.answers ?? {});
  const spec = {
    repositoryType: given.type ?? 'kopia',
    repositoryConfig: { fullMaintenanceInterval: 'fastGC' },
  } as const;
  const kube = fakeCluster({
    clock,
    objects: [
      aBackupRepository({ spec }),
      aBackupStorageLocation(given.readOnly === true ? { spec: { accessMode: 'ReadOnly' } } : {}),
      aSecret({
        name: 'cloud-credentials',
        namespace: 'velero',
        values: { cloud: `[default]\naws_access_key_id=AKIA1\naws_secret_access_key=${secretKey}\n` },
      }),
      aSecret({
        name: 'velero-repo-credentials',
        namespace: 'velero',
        values: { 'repository-password': password, next: newPassword },
      }),
    ],
  });
  const session = { process, workDirectory, environment: {} };
  const ports = {
    kube,
    namespace: 'velero',
    listAccountKey: async () => undefined,
    sessions: { kopia: session, restic: session },
    clock,
    log: silentLogger,
    onProgress: () => {},
  };
  const task = async (...argv: string[]) => {
    const own: Record<string, string> = { 'change-password': '--new-password-key=next', forget: '--requests=r' };
    const flag = own[argv.join()];
    const newKey = flag === undefined ? [] : [flag];
    const command = parseFlags([...argv, ...newKey, '--repo-name=app-default-kopia']);
    const found = await findRepository(ports, 'app-default-kopia', signal);
    return runTask(ports, command as TaskFlags, found, signal);
  };
  return { kube, ports, runs, task, commands: () => runs.map(({ args }) => args.slice(0, 3).join(' ')) };
}

describe('maintain', () => {
  it.each([
    ['2030-01-01T11:00:00Z', '2030-01-01T11:00:00Z', 'full'],
    ['2030-01-02T11:00:00Z', '2030-01-01T11:00:00Z', 'quick'],
    ['2030-01-02T11:00:00Z', '2030-01-01T13:00:00Z', undefined],
  ])('runs what is due: full at %s, quick at %s', async (full, quick, mode) => {
    const { task, commands } = worldWith({
      answers: { 'maintenance info': { stdout: info(full, quick) }, 'snapshot list': { stdout: '[\n]' } },
    });
    const result = await task('maintain');
    expect(result).toMatchObject(mode === undefined ? { engine: 'kopia' } : { engine: 'kopia', mode, orphans: 0 });
    expect(commands().some((each) => each.startsWith('maintenance run'))).toBe(mode !== undefined);
  });

  it('sets the interval of the repository to that of its configuration', async () => {
    const { task, runs } = worldWith({
      answers: { 'maintenance info': { stdout: info('', '') }, 'snapshot list': { stdout: '[\n]' } },
    });
    await task('maintain');
    const set = runs.find(({ args }) => args[1] === 'set');
    expect(set?.args).toContain('--full-interval=43200s');
  });

  it('succeeds although attribute manifests cannot be listed', async () => {
    const { task } = worldWith({
      answers: { 'maintenance info': { stdout: info('', '') }, 'snapshot list': { exitCode: 1, stderr: 'no' } },
    });
    const result = await task('maintain', '--mode=quick');
    expect(result).toMatchObject({ mode: 'quick' });
    expect(result).not.toHaveProperty('orphans');
  });

  it('prunes a restic repository', async () => {
    const { task, commands } = worldWith({ type: 'restic' });
    expect(await task('maintain')).toEqual({ engine: 'restic', mode: 'full' });
    expect(commands().map((each) => each.split(' ')[0])).toEqual(['unlock', 'prune']);
  });
});

describe('forget', () => {
  it('deletes the snapshots of the ConfigMaps', async () => {
    const ids = ['a'.repeat(32), 'b'.repeat(32)];
    const listed = JSON.stringify([...ids, 'c'.repeat(32)].map((id) => ({ id })));
    const { kube, task, commands } = worldWith({ answers: { 'manifest list': { stdout: listed } } });
    const of = { namespace: 'velero', repositoryName: 'app-default-kopia' };
    for (const [index, id] of ids.entries())
      kube.put(forgetRequest({ ...of, name: `r-${index}`, snapshotIDs: [id, 'd'.repeat(32)] }));
    const result = await task('forget', '--requests=r-0,r-1');
    expect(result).toEqual({ engine: 'kopia', forgotten: 2, missing: 1 });
    expect(commands()).toEqual(['manifest list --filter=type:snapshot', `snapshot delete ${ids[0]}`]);
  });
});

describe('a task', () => {
  it.each(['maintain', 'unlock', 'change-password', 'forget'])(
    '%s is rejected in a read-only location',
    async (operation) => {
      const { task, runs } = worldWith({ readOnly: true });
      await expect(task(operation)).rejects.toMatchObject({ code: 'REPOSITORY_READ_ONLY' });
      expect(runs).toEqual([]);
    },
  );

  it('names the missing object', async () => {
    const world = worldWith();
    world.kube.remove(secretType, { namespace: 'velero', name: 'velero-repo-credentials' });
    await expect(world.task('usage')).rejects.toMatchObject({ code: 'SECRET_NOT_FOUND' });
    world.kube.remove(backupRepositoryType, { namespace: 'velero', name: 'app-default-kopia' });
    await expect(world.task('usage')).rejects.toMatchObject({ code: 'REPOSITORY_NOT_FOUND' });
  });

  it('changes the password and opens the repository with the new one; no secret is an argument or a file', async () => {
    const { task, runs } = worldWith();
    expect(await task('change-password')).toEqual({ engine: 'kopia' });
    expect(runs.map(({ env }) => env.KOPIA_PASSWORD)).toEqual([password, newPassword]);
    for (const { args, stdin } of runs)
      expect(`${args.join(' ')} ${String(stdin)}`).not.toMatch(/old-pass-word|new-pass-word|very-secret-key/);
    expect(await readdir(join(workDirectory, 'udmrepo'))).toEqual([]);
  });

  it('is complete when the repository opens only with the new password, because an earlier try has changed it', async () => {
    const { task, commands } = worldWith({
      answers: { 'repository change-password': { exitCode: 1, stderr: 'invalid repository password' } },
    });
    expect(await task('change-password')).toEqual({ engine: 'kopia' });
    expect(commands()).toEqual([expect.stringContaining('repository change-password'), 'maintenance info --json']);
  });

  it('fails when neither password opens it', async () => {
    const wrong = { exitCode: 1, stderr: 'invalid repository password' };
    const { task } = worldWith({ answers: { 'repository change-password': wrong, 'maintenance info': wrong } });
    await expect(task('change-password')).rejects.toMatchObject({ code: 'REPOSITORY_PASSWORD_WRONG' });
  });

  it("reports how to repair a password change that was interrupted between kopia's two files", async () => {
    const stderr = 'ERROR error connecting: deserialize blob config: unable to decrypt repository blobcfg blob';
    const { task } = worldWith({ answers: { 'repository change-password': { exitCode: 1, stderr } } });
    await expect(task('change-password')).rejects.toMatchObject({
      code: 'REPOSITORY_PASSWORD_HALF_CHANGED',
      nextStep: expect.stringContaining('Delete the object kopia.blobcfg'),
    });
  });

  it('fails when the new password does not open the repository', async () => {
    const { task } = worldWith({
      answers: { 'maintenance info': { exitCode: 1, stderr: 'invalid repository password' } },
    });
    await expect(task('change-password')).rejects.toMatchObject({ code: 'REPOSITORY_PASSWORD_WRONG' });
  });

  it('reports where a new password has to be stored', async () => {
    const { task } = worldWith();
    await expect(task('change-password', '--new-password-key=nowhere')).rejects.toMatchObject({
      code: 'SECRET_KEY_NOT_FOUND',
      message: expect.stringContaining('has no key nowhere'),
    });
  });
});

describe('the reporter', () => {
  it('reports progress once a second, and always the end', async () => {
    const clock = new FakeClock();
    const written: string[] = [];
    const { progress, end } = reporter('json', clock, (text) => written.push(text));
    for (let at = 0; at < 30; at++) {
      progress({ doing: 'reading', done: at, unit: 'items' });
      await clock.advance(100);
    }
    end({ operation: 'unlock', repository: 'x', durationMs: 1, succeeded: false, error: { code: 'C', message: 'm' } });
    expect(written.map((line) => JSON.parse(line).progress?.done)).toEqual([0, 10, 20, undefined]);
    const text: string[] = [];
    reporter('text', clock, (line) => text.push(line)).end({
      operation: 'unlock',
      repository: 'x',
      durationMs: 1,
      succeeded: false,
      error: { code: 'C', message: 'm' },
    });
    expect(text).toEqual(['Repo maintenance error: m\n']);
  });
});
