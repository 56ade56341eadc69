import type { Instance, InstanceHost, InstanceKind } from '@lateen/block-engine';
import type { InstanceBoard, ProcessKeeper, ProcessKind } from '@lateen/instance-host';
import type { Clock, Logger, Random } from '@lateen/kernel';
import type { Files } from '@lateen/volume';
import type { InstanceNotes } from '../notes/instance-notes.ts';
import type { Places } from '../places.ts';
import type { ChildNote } from './child-note.ts';

/** What differs between the kinds of instances that have a process of their own which speaks the instance API. */
export interface ChildKind {
  readonly kind: InstanceKind;
  readonly process: ProcessKind;
  /** Of the error of an instance whose process has ended by itself. */
  readonly endedCode: string;
  readonly nextStep: string;
  place(places: Places, name: string): { readonly directory: string; readonly socketPath: string };
  /** What is shown of one that has failed, beside state and error. */
  shownAtEnd?(failed: Instance): Instance;
}

export interface ChildPorts {
  keeper: Pick<ProcessKeeper, 'want' | 'unwant' | 'look'>;
  board: InstanceBoard;
  notes: InstanceNotes<ChildNote>;
  places: Places;
  files: Pick<Files, 'makeDirectory'>;
  /** Writes what the process is told, and says how it is started. */
  command(note: ChildNote): Promise<readonly string[]>;
  /** The instance API on its socket. */
  connect(socketPath: string): InstanceHost & Disposable;
  clock: Clock;
  random: Random;
  log: Logger;
}

export const childLimits = {
  /** A call waits for another one on the same instance for so long. */
  turnMs: 60_000,
  /** From the start of the process to its first answer. */
  readyMs: 20_000,
  /** A process is killed half a minute after it was asked to end. */
  endMs: 45_000,
  /** What has ended is told of for so long: a day without any manager is more than an outage. */
  rememberedMs: 24 * 60 * 60_000,
} as const;
