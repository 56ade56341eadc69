import { expect, it } from 'vitest';
import { frontFile, volumeOfFile } from './front-file.ts';

it.each([
  ['/run/fronts/pvc-1/pvc-1.mark', 'pvc-1'],
  ['/run/fronts/pvc-1/pvc-1.mark (deleted)', 'pvc-1'],
  // Its file system is no longer mounted.
  ['/pvc-1.mark', 'pvc-1'],
  [`/${frontFile('a.b', 'mark')}`, 'a.b'],
  ['/pvc-1.other', undefined],
  ['/volume', undefined],
  ['/.mark', undefined],
  ['/mark', undefined],
  ['/UPPER.mark', undefined],
  ['', undefined],
])('%j is the file of volume %j', (backingFile, volume) => {
  expect(volumeOfFile(backingFile, 'mark')).toBe(volume);
});
