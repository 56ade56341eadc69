import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { childRunner } from '@lateen/child-process';
import { systemClock as clock } from '@lateen/kernel';
import { seededRandom } from '@lateen/testing';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { recordedSchema } from '../testing/fake-monitor.ts';
import { startStorageDaemon } from './start-storage-daemon.ts';

let dir: string;
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'lateen-qsd-'));
});
afterEach(() => rm(dir, { recursive: true, force: true }));

async function program(name: string, text: string): Promise<string> {
  await writeFile(join(dir, name), text);
  await chmod(join(dir, name), 0o755);
  return join(dir, name);
}

const start = (path: string, signal?: AbortSignal) =>
  startStorageDaemon({
    runner: childRunner({ program: path, clock, graceMs: 2_000 }),
    ...{ clock, random: seededRandom(1), signal, env: { PATH: '/usr/bin:/bin' } },
    ...{ monitorPath: join(dir, 'monitor'), pidPath: join(dir, 'pid') },
  });

/** Implements enough of the protocol to become ready shortly after its start; prints its last output when asked for a job. */
async function daemonProgram(): Promise<string> {
  const script = `#!${process.execPath}
const path = process.argv[3].match(/path=(.*?),server/)[1];
const schema = ${JSON.stringify(await recordedSchema('10.0.2'))};
const version = { qemu: { major: 10, minor: 0, micro: 2 }, package: '' };
require('node:net').createServer((socket) => {
  const send = (message) => socket.write(JSON.stringify(message) + '\\n');
  send({ QMP: { version, capabilities: [] } });
  socket.on('data', (line) => {
    const { execute, id } = JSON.parse(line);
    send({ return: execute === 'query-qmp-schema' ? schema : {}, id });
    if (execute === 'quit') process.exit(0);
    if (execute === 'query-jobs') { console.error('one\\ntwo\\nAssertion failed'); process.kill(process.pid, 'SIGKILL'); }
  });
}).listen(path);
`;
  return program('daemon.cjs', script);
}

describe('a started storage daemon', () => {
  it('is ready when it answers, and is asked to quit at the end', async () => {
    const started = await start(await daemonProgram());
    expect(started.daemon).toMatchObject({ version: { major: 10 }, tested: true });
    await started[Symbol.asyncDispose]();
    expect((await started.ended).message).toBe('qemu-storage-daemon has ended with exit code 0');
  });

  it('reports its exit and last output to each pending command', async () => {
    await using started = await start(await daemonProgram());
    await started.daemon.queryJobs();
    const words = 'qemu-storage-daemon has ended by SIGKILL: one\ntwo\nAssertion failed';
    expect(await started.daemon.closed).toMatchObject({ code: 'STORAGE_DAEMON_ENDED', message: words });
    await expect(started.daemon.queryJobs()).rejects.toThrow('Assertion failed');
  });

  it('reports why it ended before it was ready', async () => {
    const path = await program('wrong', '#!/bin/sh\necho "could not open monitor" >&2\nexit 1\n');
    await expect(start(path)).rejects.toMatchObject({
      code: 'STORAGE_DAEMON_ENDED',
      message: 'qemu-storage-daemon has ended with exit code 1: could not open monitor',
    });
  });

  it('reports a missing program', async () => {
    await expect(start('/nonexistent')).rejects.toMatchObject({ code: 'PROGRAM_NOT_STARTED' });
  });

  it('leaves no process when it is aborted before it is ready', async () => {
    const path = await program(
      'hangs',
      `#!/bin/sh\necho $$ > ${dir}/written\nmv ${dir}/written ${dir}/started\nexec sleep 60\n`,
    );
    const stop = new AbortController();
    const started = start(path, stop.signal);
    started.catch(() => {});
    const pidOf = () => readFile(join(dir, 'started'), 'utf8').catch(() => undefined);
    let pid = await pidOf();
    for (; pid === undefined; pid = await pidOf()) await clock.sleep(5);
    stop.abort(new Error('not wanted'));
    await expect(started).rejects.toThrow('not wanted');
    expect(() => process.kill(Number(pid), 0)).toThrow('ESRCH');
  });
});
