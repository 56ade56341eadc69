import { open } from 'node:fs/promises';
import { childRunner } from '@lateen/child-process';
import { silentLogger, systemClock, systemRandom } from '@lateen/kernel';
import type { RepositoryTarget } from '@lateen/repository';
import { openServerSession, type SpliceRequest, spliceSnapshot } from '@lateen/repository-session';

/** A process that splices a snapshot and can be killed; prints a line for each chunk that it reads. Its only argument is JSON. */
interface Task {
  program: string;
  workDirectory: string;
  target: RepositoryTarget;
  volume: string;
  request: Omit<SpliceRequest, 'read' | 'signal'>;
  checkpointBytes: number;
  /** Reading hangs from this offset on, so that the process can be killed there. */
  hangsAt?: number;
}

const task = JSON.parse(process.argv[2] ?? '') as Task;
const { program, workDirectory, target, volume, request, checkpointBytes, hangsAt = Number.POSITIVE_INFINITY } = task;
const { signal } = new AbortController();
const engine = {
  process: childRunner({ program, clock: systemClock, graceMs: 10_000 }),
  workDirectory,
  environment: process.env,
};
const ports = { clock: systemClock, random: systemRandom };
const file = await open(volume);
const read: SpliceRequest['read'] = async (into, offset) => {
  if (offset >= hangsAt) await new Promise(() => {});
  await file.read(into, 0, into.length, offset);
};
const made = await spliceSnapshot(
  {
    ...ports,
    checkpointBytes,
    open: (stop) => openServerSession({ ...ports, target, engine, log: silentLogger, purpose: 'test' }, stop),
  },
  {
    ...request,
    read,
    signal,
    onProgress: (progress) => console.log(JSON.stringify(progress)),
  },
);
console.log(JSON.stringify(made));
