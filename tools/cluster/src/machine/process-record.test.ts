import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { commandLine, parseStat } from '@lateen/child-process';
import { systemClock } from '@lateen/kernel';
import { afterEach, expect, it } from 'vitest';
import { endProcess } from './end-process.ts';
import { isAlive, parseRecord, recordOf } from './process-record.ts';

const children: ReturnType<typeof spawn>[] = [];
afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
});

async function sleeper(script = 'exec sleep 60') {
  const child = spawn('sh', ['-c', script], { stdio: ['ignore', 'pipe', 'ignore'] });
  children.push(child);
  await once(child, 'spawn');
  const record = await recordOf('sleeper', child.pid ?? 0, 'print');
  if (record === undefined) throw new Error('the child is gone already');
  return { child, record };
}

it('parses a process whose name contains spaces and parentheses', () => {
  const fields = ['S', '41', ...Array.from({ length: 17 }, () => '0'), '98765', '1'];
  expect(parseStat(`42 (a) b (c) ${fields.join(' ')}`)).toEqual({
    pid: 42,
    parentPid: 41,
    startTicks: '98765',
    zombie: false,
  });
  expect(parseStat('42 (a) Z 41')).toBeUndefined();
});

it('recognizes a running process, and not another one with its pid', async () => {
  const { record } = await sleeper();
  expect(await isAlive(record)).toBe(true);
  expect(await isAlive({ ...record, startTicks: '1' })).toBe(false);
  expect(await isAlive({ ...record, bootId: 'another boot' })).toBe(false);
});

it('ends a process that reacts to SIGTERM, and one that does not', async () => {
  const polite = await sleeper();
  await endProcess(polite.record, systemClock, { atOnce: false });
  expect(await isAlive(polite.record)).toBe(false);
  const deaf = await sleeper("trap '' TERM; echo ready; while :; do sleep 1; done");
  await once(deaf.child.stdout ?? deaf.child, 'data');
  await endProcess(deaf.record, systemClock, { atOnce: false });
  expect(await isAlive(deaf.record)).toBe(false);
});

it('never signals a process that has taken over the pid', async () => {
  const { record } = await sleeper();
  await endProcess({ ...record, startTicks: '1' }, systemClock, { atOnce: true });
  expect(await isAlive(record)).toBe(true);
});

it.each(['', '{', '[]', 'null', '{"name":"a","pid":"7"}', '{"name":"a","pid":7,"startTicks":"1"}'])(
  'rejects %j as a record',
  (text) => expect(parseRecord(text)).toBeUndefined(),
);

it('reads the arguments of a command line', async () => {
  const { child } = await sleeper();
  // While a program is being loaded, the kernel has no arguments of it yet.
  await expect
    .poll(() => commandLine(child.pid ?? 0))
    .toEqual(expect.arrayContaining([expect.stringMatching(/sleep|sh/)]));
  expect(await commandLine(2 ** 30)).toEqual([]);
});
