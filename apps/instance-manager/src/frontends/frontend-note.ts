import { countOf, textOf } from '../notes/instance-notes.ts';

/** Of a front end that is to be there. */
export interface FrontendNote {
  readonly name: string;
  readonly volume: string;
  readonly engine: string;
  readonly generation: number;
  /** Of its process. */
  readonly run: string;
}

/** @throws when it is none */
export const parseFrontendNote = (value: Record<string, unknown>): FrontendNote => ({
  name: textOf(value, 'name'),
  volume: textOf(value, 'volume'),
  engine: textOf(value, 'engine'),
  generation: countOf(value, 'generation'),
  run: textOf(value, 'run'),
});
