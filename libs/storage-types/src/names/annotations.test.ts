import { expect, it } from 'vitest';
import { generationOf, storageAnnotations } from './annotations.ts';

it.each([
  [undefined, 0],
  ['7', 7],
  ['', undefined],
  ['-1', undefined],
  ['1e3', undefined],
  ['99999999999999999999', undefined],
])('the generation %s reads as %s', (text, value) => {
  const annotations = text === undefined ? {} : { [storageAnnotations.generation]: text };
  expect(generationOf({ metadata: { annotations } })).toBe(value);
});
