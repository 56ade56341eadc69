import type { Instance } from '@lateen/block-engine';
import { countOf, textOf } from '../notes/instance-notes.ts';

/** Of an engine that was started here, also when it has ended: none is started again under its generation. */
export interface EngineNote {
  readonly name: string;
  readonly volume: string;
  readonly generation: number;
  /** Of its process. */
  readonly run: string;
  /** What it said last, once it has ended; epoch ms. */
  readonly ended?: { readonly atMs: number; readonly instance: Instance };
}

/** @throws when it is none */
export function parseEngineNote(value: Record<string, unknown>): EngineNote {
  const note = {
    name: textOf(value, 'name'),
    volume: textOf(value, 'volume'),
    generation: countOf(value, 'generation'),
    run: textOf(value, 'run'),
  };
  const { ended } = value as { ended?: EngineNote['ended'] };
  return ended === undefined ? note : { ...note, ended };
}
