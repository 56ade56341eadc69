import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { connectUnix } from '@lateen/grpc';
import { health } from '@lateen/plugin-protocol';
import { aConfigMap, FakeCluster, fakeCluster } from '@lateen/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ProgramOptions, type RunningProgram, runAsProgram } from '../testing/run-as-program.ts';

const file = join(import.meta.dirname, 'example-program.ts');
const run = (options?: ProgramOptions) => runAsProgram([process.execPath, file], options);
const item = (what?: string) =>
  aConfigMap({ namespace: 'shop', name: 'c', ...(what === undefined ? {} : { annotations: { do: what } }) });
const name = 'example.io/do';

/** Log lines arrive through another stream than responses, and may be later. */
const logged = (program: RunningProgram, message: string | RegExp) =>
  expect.poll(() => program.log.some((line) => line.message.match(message) !== null), { timeout: 20_000 }).toBe(true);

describe('a serving plugin program', () => {
  let program: RunningProgram;
  beforeAll(async () => {
    program = await run({ args: ['--log-level', 'debug', '--features=EnableCSI', '--unknown-flag'] });
  });
  afterAll(() => program.stop());
  const execute = (what?: string) => program.backupItemAction(name).execute(item(what));

  it('lists its items, and runs them', async () => {
    expect(program.offers).toEqual([{ kind: 'BackupItemAction', name }]);
    expect((await execute()).item.metadata.labels).toEqual({ marked: 'yes' });
  });

  it('logs in a format that hosts read, with level, fields, action name and error causes, without secrets', async () => {
    const before = program.log.length;
    await execute('log');
    await logged(program, /^a long line$/);
    const lines = program.log.slice(before);
    expect(lines.slice(0, 4)).toEqual(
      ['debug', 'info', 'warn', 'error'].map((level) => ({
        level,
        message: `at ${level}`,
        fields: expect.objectContaining({ n: 1, '@module': name }),
      })),
    );
    expect(lines[4]).toMatchObject({ level: 'error', message: 'an error', fields: { error: 'outer: inner' } });
    expect(lines[4]?.fields.password).not.toBe('x');
    expect(lines[5]).toMatchObject({ level: 'info', message: 'a long line' });
  });

  it('logs the standard output of its code, so that a full pipe cannot block it', async () => {
    const before = program.log.length;
    await execute('print');
    await logged(program, /^zzz/);
    const [first, ...long] = program.log.slice(before);
    expect(first).toEqual({
      level: 'info',
      message: 'printed 1',
      fields: { stream: 'stdout', '@module': 'example.io/program' },
    });
    expect(long.length).toBeGreaterThan(0);
    expect((await execute()).item.metadata.labels).toEqual({ marked: 'yes' });
  });

  it('returns an error with its causes, and continues', async () => {
    await expect(execute('fail')).rejects.toMatchObject({
      code: 'UNKNOWN',
      message: 'execute: cannot mark: the disk is full',
    });
    expect((await execute()).item.metadata.labels).toEqual({ marked: 'yes' });
  });

  it('reports why it has no API server', async () => {
    await expect(execute('cluster')).rejects.toThrow('KUBERNETES_SERVICE_HOST and KUBERNETES_SERVICE_PORT are not set');
  });
});

describe('the end of a program', () => {
  it('comes with the Shutdown call of its host, even during a call, whose signal aborts', async () => {
    await using program = await run();
    const hanging = program.backupItemAction(name).execute(item('hang'));
    hanging.catch(() => {});
    await logged(program, 'hangs');
    expect(await program.stop()).toMatchObject({ exitCode: 0, endedBy: undefined });
    expect(program.log.map(({ message }) => message)).toContain('given up: the program has been asked to end');
    await expect(hanging).rejects.toThrow();
  });

  it.each([
    ['crash', 'panic: out of luck: no cheese'],
    ['reject', 'panic: nobody waits'],
  ])('%s: prints an uncaught error in the form that hosts look for', async (what, words) => {
    await using program = await run();
    await expect(program.backupItemAction(name).execute(item(what))).rejects.toThrow();
    expect(await program.ended).toMatchObject({ exitCode: 2, stderr: expect.stringContaining(words) });
    expect(program.log.map(({ message }) => message)).toContain(words);
  });
});

describe('a program in a pod', () => {
  it('reads its cluster and its configuration', async () => {
    const config = aConfigMap({
      namespace: 'velero',
      name: 'config',
      labels: { 'velero.io/plugin-config': '', [name]: 'BackupItemAction' },
      data: { mode: 'fast' },
    });
    const cluster = fakeCluster({
      objects: [config, aConfigMap({ namespace: 'shop', name: 'seen', data: { value: 'blue' } })],
    });
    expect(cluster).toBeInstanceOf(FakeCluster);
    await using program = await run({ cluster });
    const { item: stored } = await program.backupItemAction(name).execute(item('cluster'));
    expect(stored.metadata.labels).toEqual({ seen: 'blue', configured: 'fast' });
  });
});

describe('a program started without a host', () => {
  const start = (env: Record<string, string>) =>
    promisify(execFile)(process.execPath, [file], { env }).catch((error: unknown) => error);

  it('prints what it is', async () => {
    expect(await start({})).toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringContaining(`BackupItemAction     ${name}`),
    });
  });

  it('reports that it supports no TLS', async () => {
    expect(await start({ VELERO_PLUGIN: 'hello', PLUGIN_CLIENT_CERT: 'x' })).toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringContaining('PLUGIN_CLIENT_CERT'),
    });
  });
});

describe('go-plugin services', () => {
  it('include health, stdio and broker', async () => {
    await using program = await run({ env: { PLUGIN_MULTIPLEX_GRPC: 'true' } });
    using client = connectUnix<health.HealthServer>(`unix://${program.socket}`, health.HealthClient);
    const { signal } = new AbortController();
    expect(await client.check({ service: 'plugin' }, { signal })).toEqual({ status: 1 });
    await expect(client.check({ service: 'other' }, { signal })).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });
});
