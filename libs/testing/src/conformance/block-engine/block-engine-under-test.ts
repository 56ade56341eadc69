import type { BlockEngine } from '@lateen/block-engine';

/** An engine, and hands on the devices that it attaches. Names are used once per suite. */
export interface BlockEngineUnderTest {
  readonly engine: BlockEngine;
  readonly node: string;
  /** Another node, where the engine has one. */
  readonly otherNode?: string;
  /** A size that the engine has without rounding; room for twenty volumes of it. */
  readonly volumeBytes: number;
  /** Resolves when the device has the bytes: a write through it, not only into a cache above it. */
  write(devicePath: string, at: number, bytes: Uint8Array): Promise<void>;
  read(devicePath: string, at: number, lengthBytes: number): Promise<Uint8Array>;
  deviceBytes(devicePath: string): Promise<number>;
  close(): Promise<void>;
}
