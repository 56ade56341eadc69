import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { systemClock, systemRandom } from '@lateen/kernel';
import { afterEach, expect, it } from 'vitest';
import { endMachines } from './end-machines.ts';
import { clusterVariable, markedProcesses } from './marked-processes.ts';
import { isAlive, type ProcessRecord } from './process-record.ts';

const children: ReturnType<typeof spawn>[] = [];
afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
});

/** A program as the tool starts it: with the mark in its environment. */
async function program(id: string, script = 'echo ready; exec sleep 60'): Promise<ProcessRecord> {
  const env = { ...process.env, [clusterVariable]: id };
  const child = spawn('sh', ['-c', script], { stdio: ['ignore', 'pipe', 'ignore'], env });
  children.push(child);
  await once(child.stdout ?? child, 'data');
  const record = (await markedProcesses(id)).find(({ pid }) => pid === child.pid);
  if (record === undefined) throw new Error('the child is not marked');
  return record;
}

it('ends a process 1 and a stopped wrapper, which cannot end by itself, and no other process', async () => {
  const id = systemRandom.uuid();
  const init = await program(id);
  const wrapper = await program(id);
  const other = await program(systemRandom.uuid());
  process.kill(wrapper.pid, 'SIGSTOP');
  await endMachines(id, [init], systemClock);
  expect([await isAlive(init), await isAlive(wrapper), await isAlive(other)]).toEqual([false, false, true]);
  expect(await markedProcesses(id)).toEqual([]);
});

it('sends no signal to a process that has taken over the pid of a process 1', async () => {
  const other = await program(systemRandom.uuid());
  await endMachines(systemRandom.uuid(), [{ ...other, startTicks: '1' }], systemClock);
  expect(await isAlive(other)).toBe(true);
});
