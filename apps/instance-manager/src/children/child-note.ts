import type { Instance } from '@lateen/block-engine';
import { countOf, textOf } from '../notes/instance-notes.ts';

/** The note of an engine or a transfer that was started here; kept after it has ended. */
export interface ChildNote {
  readonly name: string;
  readonly volume: string;
  /** 0 when it has no generation. */
  readonly generation: number;
  /** The run of its process. */
  readonly run: string;
  /** Its last report, once it has ended; epoch ms. */
  readonly ended?: { readonly atMs: number; readonly instance: Instance };
}

/** @throws when the value is not a valid note */
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
