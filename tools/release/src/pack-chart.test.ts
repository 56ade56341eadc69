import { readFile } from 'node:fs/promises';
import { releaseOf } from '@lateen/image';
import { expect, it } from 'vitest';
import { releasedValues } from './pack-chart.ts';

const release = releaseOf('1.2.3', 'registry.example.io:5000/team/lateen');

it('sets the images of the release in the values of the chart, and changes nothing else', async () => {
  const values = await readFile(new URL('../../../deploy/charts/lateen/values.yaml', import.meta.url), 'utf8');
  const released = releasedValues(values, release).split('\n');
  const changed = released.filter((line, index) => line !== values.split('\n')[index]);
  expect(changed.map((line) => line.trim())).toEqual(
    ['', '-sidecars', '-storage'].flatMap((suffix) => [
      `repository: registry.example.io:5000/team/lateen${suffix}`,
      'tag: 1.2.3',
    ]),
  );
});

it('fails when an image of the chart is not at its known place', () => {
  expect(() => releasedValues('image:\n  repository: localhost/lateen\n  tag: dev\n', release)).toThrow(
    'values.yaml of the chart does not name the image localhost/lateen-sidecars:dev',
  );
});
