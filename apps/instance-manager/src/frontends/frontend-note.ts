import { countOf, textOf } from '../notes/instance-notes.ts';

/** The note of a front end that has to exist. */
export interface FrontendNote {
  readonly name: string;
  readonly volume: string;
  readonly engine: string;
  readonly generation: number;
  /** The run of its process. */
  readonly run: string;
}

/** @throws when the value is not a valid note */
export const parseFrontendNote = (value: Record<string, unknown>): FrontendNote => ({
  name: textOf(value, 'name'),
  volume: textOf(value, 'volume'),
  engine: textOf(value, 'engine'),
  generation: countOf(value, 'generation'),
  run: textOf(value, 'run'),
});
