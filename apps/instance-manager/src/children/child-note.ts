import type { Instance } from '@lateen/block-engine';
import { countOf, textOf } from '../notes/instance-notes.ts';

/** Of an engine or a transfer that was started here, also when it has ended. */
export interface ChildNote {
  readonly name: string;
  readonly volume: string;
  /** 0: it has none. */
  readonly generation: number;
  /** Of its process. */
  readonly run: string;
  /** What it said last, once it has ended; epoch ms. */
  readonly ended?: { readonly atMs: number; readonly instance: Instance };
}

/** @throws when it is none */
export function parseChildNote(value: Record<string, unknown>): ChildNote {
  const note = {
    name: textOf(value, 'name'),
    volume: textOf(value, 'volume'),
    generation: countOf(value, 'generation'),
    run: textOf(value, 'run'),
  };
  const { ended } = value as { ended?: ChildNote['ended'] };
  return ended === undefined ? note : { ...note, ended };
}
