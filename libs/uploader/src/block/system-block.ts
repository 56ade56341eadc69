import type { spawn } from 'node:child_process';
import type { Clock } from '@lateen/kernel';
import { spawnedEngine } from '@lateen/repository';
import type { BlockOptions } from './block-options.ts';
import { nodeBlockDevices } from './node-block-devices.ts';

export interface SystemBlockOptions {
  /** `spawn` of node:child_process. */
  spawn: typeof spawn;
  clock: Clock;
  /** From SIGINT to SIGKILL of a program that looks into a device. */
  graceMs: number;
  /** Has to exist when a data path runs. */
  scratchDirectory: string;
}

/** Block devices and the programs for them, of this machine. */
export function systemBlock({ scratchDirectory, ...child }: SystemBlockOptions): BlockOptions {
  const tools = (binary: string) => spawnedEngine({ ...child, binary });
  return { devices: nodeBlockDevices({ fallocate: tools('fallocate') }), tools, scratchDirectory };
}
