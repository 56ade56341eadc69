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

/** Log lines come by another way than answers, and may be behind them. */
const logged = (program: RunningProgram, message: string | RegExp) =>
  expect.poll(() => program.log.some((line) => line.message.match(message) !== null), { timeout: 20_000 }).toBe(true);

describe('a program while it serves', () => {
  let program: RunningProgram;
  beforeAll(async () => {
    program = await run({ args: ['--log-level', 'debug', '--features=EnableCSI', '--unknown-flag'] });
  });
  afterAll(() => program.stop());
  const execute = (what?: string) => program.backupItemAction(name).execute(item(what));

  it('lists what it offers, and does it', async () => {
    expect(program.offers).toEqual([{ kind: 'BackupItemAction', name }]);
    expect((await execute()).item.metadata.labels).toEqual({ marked: 'yes' });
  });

  it('logs in a form that hosts read, with level, fields and the name of the action, errors with their causes, without secrets', async () => {
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

  it('makes log lines of what its code prints, so that nothing blocks it', async () => {
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

  it('answers an error with its causes, and continues', async () => {
    await expect(execute('fail')).rejects.toMatchObject({
      code: 'UNKNOWN',
      message: 'execute: cannot mark: the disk is full',
    });
    expect((await execute()).item.metadata.labels).toEqual({ marked: 'yes' });
  });

  it('says why there is no API server for it', async () => {
    await expect(execute('cluster')).rejects.toThrow('KUBERNETES_SERVICE_HOST and KUBERNETES_SERVICE_PORT are not set');
  });
});

describe('the end of a program', () => {
  it('comes with the Shutdown of its host, also while a call runs, whose signal aborts', async () => {
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
  ])('%s: says what nobody has caught, as hosts look for it', async (what, words) => {
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

describe('a program that nobody should have started', () => {
  const start = (env: Record<string, string>) =>
    promisify(execFile)(process.execPath, [file], { env }).catch((error: unknown) => error);

  it('says what it is when it is run by hand', async () => {
    expect(await start({})).toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringContaining(`BackupItemAction     ${name}`),
    });
  });

  it('says that it speaks no TLS', async () => {
    expect(await start({ VELERO_PLUGIN: 'hello', PLUGIN_CLIENT_CERT: 'x' })).toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringContaining('PLUGIN_CLIENT_CERT'),
    });
  });
});

describe('what programs on go-plugin serve beside their plugins', () => {
  it('is health, output and broker', async () => {
    await using program = await run({ env: { PLUGIN_MULTIPLEX_GRPC: 'true' } });
    using client = connectUnix<health.HealthServer>(`unix://${program.socket}`, health.HealthClient);
    const { signal } = new AbortController();
    expect(await client.check({ service: 'plugin' }, { signal })).toEqual({ status: 1 });
    await expect(client.check({ service: 'other' }, { signal })).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });
});
