import type { BlockEngine } from '@lateen/block-engine';

/** An engine, and access to its attached devices. Names are used once per suite. */
export interface BlockEngineUnderTest {
  readonly engine: BlockEngine;
  readonly node: string;
  /** The engine on another node, if there is one. */
  readonly otherNode?: string;
  /** A size that the engine does not round; with room for twenty such volumes. */
  readonly volumeBytes: number;
  /** Resolves when the device itself has the bytes, not only a cache above it. */
  write(devicePath: string, at: number, bytes: Uint8Array): Promise<void>;
  read(devicePath: string, at: number, lengthBytes: number): Promise<Uint8Array>;
  deviceBytes(devicePath: string): Promise<number>;
  close(): Promise<void>;
}
