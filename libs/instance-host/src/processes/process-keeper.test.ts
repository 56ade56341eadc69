import { spawn } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bootId, processEnvironment, processFacts } from '@lateen/child-process';
import { silentLogger, systemClock } from '@lateen/kernel';
import { FakeClock } from '@lateen/testing';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { realMachine, runVariable } from './machine.ts';
import { type KeptProcess, ProcessKeeper, type ProcessKeeperPorts } from './process-keeper.ts';
import type { WantedProcess } from './process-plan.ts';
import { parseProcessRecord } from './process-record.ts';
import { recordFiles } from './record-files.ts';

const never = new AbortController().signal;
const sleeps = ['/bin/sleep', '300'];
const deaf = ['/bin/sh', '-c', "trap '' TERM; while :; do sleep 1; done"];
let directory = '';
let clock: FakeClock;
/** Each test has its own run IDs, because other tests on this machine also use keepers. */
let runs = 0;
const newRun = () => `test-${process.pid}-${runs++}`;

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'lateen-keeper-'));
  clock = new FakeClock('2030-01-01T00:00:00Z');
});
afterEach(async () => {
  const { records } = await recordFiles(directory).readAll();
  for (const { pid } of records) if (pid !== undefined && (await isAlive(pid))) process.kill(-pid, 'SIGKILL');
  await rm(directory, { recursive: true, force: true });
});

const open = (answers: ProcessKeeperPorts['answers'] = async () => true) =>
  ProcessKeeper.open({
    machine: realMachine({ env: { PATH: '/usr/bin:/bin' }, logs: directory }),
    records: recordFiles(directory),
    answers,
    clock,
    log: silentLogger,
  });
const wanted = (fields: Partial<WantedProcess> = {}): WantedProcess => ({
  id: 'r-1',
  kind: 'replica',
  run: newRun(),
  argv: sleeps,
  ...fields,
});
const one = async (keeper: ProcessKeeper): Promise<KeptProcess | undefined> => (await keeper.pass(never)).processes[0];
const untilGone = (keeper: ProcessKeeper) =>
  expect.poll(async () => (await one(keeper))?.health, { interval: 20, timeout: 20_000 });
const pidOf = (kept: KeptProcess | undefined): number => kept?.pid ?? 0;
async function isAlive(pid: number): Promise<boolean> {
  const facts = await processFacts(pid);
  return facts !== undefined && !facts.zombie;
}

describe('a wanted process', () => {
  it('runs in its own session, with its run ID in its environment and a record', async () => {
    const keeper = await open();
    const process = wanted();
    keeper.want({ ...process, env: { ITS_OWN: 'value' } });
    const kept = await one(keeper);
    expect(kept).toMatchObject({ id: 'r-1', run: process.run, health: 'answers' });
    const environment = await processEnvironment(pidOf(kept));
    expect(environment.get(runVariable)).toBe(process.run);
    expect([environment.get('ITS_OWN'), environment.get('PATH')]).toEqual(['value', '/usr/bin:/bin']);
    const record = parseProcessRecord(await readFile(join(directory, 'r-1.json'), 'utf8'));
    expect(record).toEqual({ ...process, bootId: await bootId(), pid: kept?.pid, startTicks: kept?.startTicks });
    expect(await one(keeper)).toMatchObject({ pid: kept?.pid });
  });

  it('ends when it is no longer wanted, and its record is deleted', async () => {
    const keeper = await open();
    keeper.want(wanted());
    const pid = pidOf(await one(keeper));
    keeper.unwant('r-1');
    await untilGone(keeper).toBeUndefined();
    expect(await isAlive(pid)).toBe(false);
    expect((await readdir(directory)).filter((name) => name.endsWith('.json'))).toEqual([]);
  });

  it('is reported to callers by a pass that began after their request', async () => {
    const keeper = await open();
    const stop = new AbortController();
    const told: string[] = [];
    const running = keeper.run(stop.signal, ({ processes }) => told.push(processes.map(({ id }) => id).join()));
    expect((await keeper.look(never)).processes).toEqual([]);
    keeper.want(wanted());
    const { processes } = await keeper.look(never);
    expect(processes).toMatchObject([{ id: 'r-1', health: 'answers' }]);
    keeper.unwant('r-1');
    await expect.poll(async () => (await keeper.look(never)).processes, { interval: 20, timeout: 20_000 }).toEqual([]);
    expect(told).toContain('r-1');
    stop.abort(new Error('told to stop'));
    await running;
    await expect(keeper.look(AbortSignal.abort(new Error('later')))).rejects.toThrow('later');
  });

  it('is killed after its timeout when it ignores the signal to end', async () => {
    const keeper = await open();
    keeper.want(wanted({ argv: deaf }));
    const pid = pidOf(await one(keeper));
    // The shell has set its trap once it has a child process.
    await expect.poll(() => hasChild(pid)).toBe(true);
    keeper.unwant('r-1');
    expect(await one(keeper)).toMatchObject({ pid, health: 'answers' });
    await clock.advance(9_999);
    expect(await one(keeper)).toMatchObject({ pid, reason: `r-1 (pid ${pid}) has been asked to end` });
    await clock.advance(1);
    await untilGone(keeper).toBeUndefined();
    expect(await isAlive(pid)).toBe(false);
  });

  it('that was killed is not started again with the same run ID, but with another one', async () => {
    const keeper = await open();
    const first = wanted();
    keeper.want(first);
    const pid = pidOf(await one(keeper));
    process.kill(pid, 'SIGKILL');
    await untilGone(keeper).toBe('gone');
    expect(await one(keeper)).toMatchObject({ health: 'gone', run: first.run });
    const second = wanted();
    keeper.want(second);
    const kept = await one(keeper);
    expect(kept).toMatchObject({ health: 'answers', run: second.run });
    expect(pidOf(kept)).not.toBe(pid);
  });

  it('that hangs counts as silent, and does not block starts and ends of others', async () => {
    const keeper = await open(({ id }) => (id === 'hung' ? new Promise(() => {}) : Promise.resolve(true)));
    keeper.want(wanted({ id: 'hung' }));
    const first = keeper.pass(never);
    let hasLooked = false;
    void first.then(() => {
      hasLooked = true;
    });
    const aMomentLater = async () => {
      await clock.advance(500);
      return hasLooked;
    };
    await expect.poll(aMomentLater, { interval: 20, timeout: 20_000 }).toBe(true);
    expect((await first).processes).toMatchObject([{ id: 'hung', health: 'silent' }]);
    // From here on no time passes: no call waits for it again.
    keeper.want(wanted());
    expect((await keeper.pass(never)).processes).toMatchObject([
      { health: 'silent' },
      { id: 'r-1', health: 'answers' },
    ]);
    keeper.unwant('r-1');
    await expect
      .poll(async () => (await keeper.pass(never)).processes.length, { interval: 20, timeout: 20_000 })
      .toBe(1);
  });

  it('that cannot be started reports the reason', async () => {
    const keeper = await open();
    keeper.want(wanted({ argv: [join(directory, 'none')] }));
    expect(await one(keeper)).toMatchObject({ health: 'gone', reason: expect.stringContaining('ENOENT') });
    keeper.unwant('r-1');
    await untilGone(keeper).toBeUndefined();
  });
});

describe('a restarted keeper', () => {
  it('takes over running processes, even if the previous keeper was killed, and starts nothing twice', async () => {
    const before = wanted();
    const killed = await keeperThatIsKilled(before);
    const keeper = await open();
    const kept = await one(keeper);
    expect(kept).toMatchObject({ run: before.run, health: 'answers', pid: killed.pid });
    keeper.want(before);
    expect(await one(keeper)).toMatchObject({ pid: killed.pid });
    keeper.unwant('r-1');
    await untilGone(keeper).toBeUndefined();
    expect(await isAlive(killed.pid)).toBe(false);
  });

  it('finds a process that was started before its pid was recorded', async () => {
    const first = await open();
    first.want(wanted());
    const pid = pidOf(await one(first));
    const { pid: _, startTicks: __, ...begun } = JSON.parse(await readFile(join(directory, 'r-1.json'), 'utf8'));
    await writeFile(join(directory, 'r-1.json'), JSON.stringify(begun));
    const keeper = await open();
    expect(await one(keeper)).toMatchObject({ pid, health: 'answers' });
    expect(parseProcessRecord(await readFile(join(directory, 'r-1.json'), 'utf8'))?.pid).toBe(pid);
  });

  it('waits for a start that may have happened, then reports it as gone and does not repeat it', async () => {
    const begun = { ...wanted(), bootId: await bootId() };
    await recordFiles(directory).readAll();
    await recordFiles(directory).write(begun);
    const keeper = await open();
    expect(await one(keeper)).toMatchObject({ health: 'unsure' });
    await clock.advance(2_000);
    expect(await one(keeper)).toMatchObject({ health: 'gone' });
  });

  it('reports that a process may run until it has seen its end', async () => {
    const killed = await keeperThatIsKilled(wanted());
    const keeper = await open();
    expect([keeper.mayRun('r-1'), keeper.mayRun('r-2')]).toEqual([true, false]);
    process.kill(killed.pid, 'SIGKILL');
    expect(keeper.mayRun('r-1')).toBe(true);
    await untilGone(keeper).toBe('gone');
    expect(keeper.mayRun('r-1')).toBe(false);
    keeper.want(wanted());
    await one(keeper);
    expect(keeper.mayRun('r-1')).toBe(true);
    keeper.unwant('r-1');
    await untilGone(keeper).toBeUndefined();
    expect(keeper.mayRun('r-1')).toBe(false);
  });

  it('reports a process without a record, and leaves it alone', async () => {
    const run = newRun();
    const stray = spawn('/bin/sleep', ['300'], { env: { [runVariable]: run }, stdio: 'ignore' });
    try {
      const keeper = await open();
      const { unknown } = await keeper.pass(never);
      expect(unknown.filter((row) => row.run === run)).toMatchObject([{ pid: stray.pid, argv: ['/bin/sleep', '300'] }]);
      expect(await isAlive(stray.pid ?? 0)).toBe(true);
    } finally {
      stray.kill('SIGKILL');
    }
  });

  it('ignores a process whose record cannot be read, and starts nothing in its place', async () => {
    await writeFile(join(directory, 'r-1.json'), '{"id":"r-1"');
    const keeper = await open();
    expect((await keeper.pass(never)).processes).toEqual([]);
    expect(keeper.mayRun('r-1')).toBe(true);
    expect(() => keeper.want(wanted())).toThrow(expect.objectContaining({ code: 'NOT_POSSIBLE_NOW' }));
    expect(() => keeper.want(wanted({ id: '../r' }))).toThrow(expect.objectContaining({ code: 'INVALID_ARGUMENT' }));
  });
});

it('the loop brings processes to the wanted state until it is stopped', async () => {
  const keeper = await open();
  const stop = new AbortController();
  const running = keeper.run(stop.signal);
  keeper.want(wanted());
  await expect.poll(() => readdir(directory)).toContain('r-1.json');
  stop.abort(new Error('done'));
  await running;
});

async function hasChild(pid: number): Promise<boolean> {
  return (await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8')).trim() !== '';
}

/** A separate program that starts a process and is then killed; resolves with the pid of the process. */
async function keeperThatIsKilled(process: WantedProcess): Promise<{ pid: number }> {
  const program = new URL('testdata/keep-one.ts', import.meta.url).pathname;
  const child = spawn(globalThis.process.execPath, [program, directory, JSON.stringify(process)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let said = '';
  for await (const chunk of child.stdout) {
    said += String(chunk);
    if (said.includes('\n')) break;
  }
  child.kill('SIGKILL');
  await systemClock.sleep(0);
  return { pid: Number(said) };
}
