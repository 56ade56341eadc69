import type { MovementWorldOptions } from '../world/movement-worlds.ts';
import type { World } from '../world/world.ts';

/** One fault, and the text that the user must find in status.message. */
export interface Fault {
  /** The fault in a user's words. */
  name: string;
  direction: 'upload' | 'download' | 'pod backup' | 'pod restore';
  /** How the world differs from the default one. */
  world?: MovementWorldOptions & { selectedNode?: string };
  /** Fields of spec that differ. */
  spec?: object;
  /** Runs before the node-agent starts. */
  setUp?(world: World): void;
  /** What other components do when the movement is at rest for the first time. */
  inject?(world: World): void | Promise<void>;
  /**
   * `failed`: the movement fails as soon as the fault is known, with `message`.
   * `stuck`: it waits, reports `waiting: <message>` after half a minute, and fails at the prepare timeout with `timeout on preparing …:
   * <message>`.
   */
  ends: 'failed' | 'stuck';
  /** The exact text. `{uid}` stands for the movement's uid. */
  message: string;
}
