import { childRunner } from '@lateen/child-process';
import type { Clock } from '@lateen/kernel';
import type { BlockOptions } from './block-options.ts';
import { nodeBlockDevices } from './node-block-devices.ts';

export interface SystemBlockOptions {
  clock: Clock;
  /** From SIGINT to SIGKILL of a program that looks into a device. */
  graceMs: number;
  /** Must exist when a data path runs. */
  scratchDirectory: string;
}

/** Block devices and the programs for them, of this machine. */
export function systemBlock({ scratchDirectory, ...child }: SystemBlockOptions): BlockOptions {
  const tools = (program: string) => childRunner({ ...child, program });
  return { devices: nodeBlockDevices({ fallocate: tools('fallocate') }), tools, scratchDirectory };
}
