import { expect, it } from 'vitest';
import { restoreRequestOf, storageAnnotations } from './annotations.ts';
import { restoreTransferName } from './object-names.ts';

it.each([
  [undefined, { held: 'zeros', takenAt: '' }],
  ['{"held":"zeros","takenAt":"t"}', { held: 'zeros', takenAt: 't' }],
  ['{"held":{"backup":"b-1"},"takenAt":"t"}', { held: { backup: 'b-1' }, takenAt: 't' }],
  ['{"held":"anything","takenAt":""}', { held: 'anything', takenAt: '' }],
  ['{"held":7}', { held: 'anything', takenAt: '' }],
  ['null', { held: 'anything', takenAt: '' }],
  ['nonsense', { held: 'anything', takenAt: '' }],
])('the request %s is read as %j; an unknown value is replaced as a whole', (text, request) => {
  const annotations = text === undefined ? {} : { [storageAnnotations.restoreRequest]: text };
  expect(restoreRequestOf({ metadata: { annotations } })).toEqual(request);
});

it('identifies a restore by engine, start and backup', () => {
  const names = [
    restoreTransferName('v-e-0', 1, 'b'),
    restoreTransferName('v-e-0', 2, 'b'),
    restoreTransferName('v-e-0', 1, 'c'),
    restoreTransferName('w-e-0', 1, 'b'),
  ];
  expect(new Set(names).size).toBe(names.length);
  expect(restoreTransferName('v-e-0', 1, 'b')).toMatch(/^restore-[0-9a-f]{16}$/);
});
