import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { KubeObject } from '@lateen/api-types';
import type { ImageProgram } from '@lateen/image';
import type { Clock } from '@lateen/kernel';
import type { S3Server } from '@lateen/store-rig';
import { type MoverOptions, startMover } from '@lateen/testing';
import { measuredGroup } from '../measured-group.ts';

export interface MoverFigures {
  seconds: number;
  /** Time of the data path alone, from the log: without the start of the process and its end. */
  dataPathSeconds: number;
  cpuSeconds: number;
  anonymousBytesMax: number;
  cacheBytesMax: number;
  limitMet: number;
  /** Number of processes. */
  killed: number;
}

export interface MoverOutcome {
  figures: MoverFigures;
  /** Its termination message, when it has succeeded. */
  message: string | undefined;
  failure: string | undefined;
}

export interface MeasuredMover extends Pick<MoverOptions, 'api' | 'flags' | 'volumeMode'> {
  program: ImageProgram;
  server: S3Server;
  movement: KubeObject;
  /** Additional objects in the API; unused with `api`. */
  objects?: readonly KubeObject[];
  /** Mount point of the volume. */
  volumePath: string;
  /** Memory limit of its pod; page cache counts. */
  memoryBytes: number | undefined;
  clock: Clock;
  signal: AbortSignal;
}

const lastWordsMax = 600;

/** NaN for a missing line. */
const loggedAtMs = (log: string, message: string): number =>
  Date.parse(new RegExp(`"time":"([^"]+)".*"msg":"${message}"`).exec(log)?.[1] ?? '');

/** One attempt by the mover of the image with the real kopia, in a separate cgroup, like a pod with that limit. */
export async function runMeasuredMover(options: MeasuredMover): Promise<MoverOutcome> {
  const { program, server, clock, memoryBytes, signal } = options;
  const directory = await mkdtemp(join(server.directory, 'mover-'));
  const group = await measuredGroup(clock, memoryBytes);
  const [file, ...flags] = program.command;
  const limit = memoryBytes === undefined ? {} : { LATEEN_LIMIT_MEMORY_BYTES: String(memoryBytes) };
  const startMs = clock.monotonicMs();
  const mover = await startMover({
    ...options,
    command: group.command(file, flags),
    directory,
    environment: { ...program.environment, ...limit, PATH: process.env.PATH ?? '', LATEEN_KOPIA: server.kopia },
  });
  const onAbort = () => void group.kill().catch(mover.kill);
  signal.addEventListener('abort', onAbort, { once: true });
  const { exitCode, log, message } = await mover.ended;
  signal.removeEventListener('abort', onAbort);
  const figures = {
    seconds: (clock.monotonicMs() - startMs) / 1000,
    dataPathSeconds:
      (loggedAtMs(log, 'the data path has completed') - loggedAtMs(log, 'the data path may start')) / 1000,
    cpuSeconds: (await group.cpuMs()) / 1000,
    anonymousBytesMax: group.residentBytesMax(),
    cacheBytesMax: group.cacheBytesMax(),
    limitMet: await group.limitMet(),
    killed: await group.killed(),
  };
  await group.remove();
  await rm(directory, { recursive: true });
  signal.throwIfAborted();
  if (exitCode === 0) return { figures, message, failure: undefined };
  return { figures, message: undefined, failure: (message || log.slice(-lastWordsMax)).slice(0, lastWordsMax) };
}
