import type { MovementWorldOptions } from '../world/movement-worlds.ts';
import type { World } from '../world/world.ts';

/** One thing that goes wrong, and the words that the user must find in status.message. */
export interface Fault {
  /** What is wrong, as a person would say it. */
  name: string;
  direction: 'upload' | 'download' | 'pod backup' | 'pod restore';
  /** How the world differs from the start. */
  world?: MovementWorldOptions & { selectedNode?: string };
  /** Fields of spec that differ. */
  spec?: object;
  /** Before the node-agent starts. */
  setUp?(world: World): void;
  /** What others say or do when the movement has come to rest for the first time. */
  inject?(world: World): void | Promise<void>;
  /**
   * `failed`: it fails as soon as that is known, with `message`.
   * `stuck`: it waits, says `waiting: <message>` after half a minute, and fails at the prepare timeout with
   * `timeout on preparing …: <message>`.
   */
  ends: 'failed' | 'stuck';
  /** Exactly. `{uid}` stands for the movement's uid. */
  message: string;
}
