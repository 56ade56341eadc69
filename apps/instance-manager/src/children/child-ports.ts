import type { Instance, InstanceHost, InstanceKind } from '@lateen/block-engine';
import type { InstanceBoard, ProcessKeeper, ProcessKind } from '@lateen/instance-host';
import type { Clock, Logger, Random } from '@lateen/kernel';
import type { Files } from '@lateen/volume';
import type { InstanceNotes } from '../notes/instance-notes.ts';
import type { Places } from '../places.ts';
import type { ChildNote } from './child-note.ts';

/** The differences between the kinds of instances that have a process with the instance API. */
export interface ChildKind {
  readonly kind: InstanceKind;
  readonly process: ProcessKind;
  /** Error code of an instance whose process has ended by itself. */
  readonly endedCode: string;
  readonly nextStep: string;
  place(places: Places, name: string): { readonly directory: string; readonly socketPath: string };
  /** What is shown of a failed instance, besides state and error. */
  shownAtEnd?(failed: Instance): Instance;
}

export interface ChildPorts {
  keeper: Pick<ProcessKeeper, 'want' | 'unwant' | 'look'>;
  board: InstanceBoard;
  notes: InstanceNotes<ChildNote>;
  places: Places;
  files: Pick<Files, 'makeDirectory'>;
  /** Writes the process's input, and returns its command line. */
  command(note: ChildNote): Promise<readonly string[]>;
  /** Connects to the instance API on its socket. */
  connect(socketPath: string): InstanceHost & Disposable;
  clock: Clock;
  random: Random;
  log: Logger;
}

export const childLimits = {
  /** How long a call waits for another call on the same instance. */
  turnMs: 60_000,
  /** From the start of the process to its first answer. */
  readyMs: 20_000,
  /** A process is killed half a minute after it was asked to end. */
  endMs: 45_000,
  /** How long the result of an ended instance is kept: a day without any manager is more than an outage. */
  rememberedMs: 24 * 60 * 60_000,
} as const;
