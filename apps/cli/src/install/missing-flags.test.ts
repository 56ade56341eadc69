import { expect, it } from 'vitest';
import { missingFlags } from './missing-flags.ts';

const all = ['--provider is required', '--bucket is required', 'One of --secret-file or --no-secret is required'];
const keys = all.slice(2);
const location = { spec: { provider: 'aws', objectStorage: { bucket: 'b' } }, caFile: undefined };
const nothing = { controller: undefined, locations: [], hasSecret: false };
const controller = { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'lateen-controller' } };

it.each([
  { title: 'nothing is there and nothing is said', settings: { missing: all }, found: nothing, wanted: all },
  { title: 'only a Secret is there', settings: { missing: all }, found: { ...nothing, hasSecret: true }, wanted: all },
  { title: 'a location is there', settings: { missing: all }, found: { ...nothing, locations: ['x'] }, wanted: [] },
  { title: 'a controller is there', settings: { missing: all }, found: { ...nothing, controller }, wanted: [] },
  { title: 'a location is to be made', settings: { missing: keys, location }, found: nothing, wanted: keys },
  {
    title: 'a location is to be made beside another one',
    settings: { missing: keys, location },
    found: { ...nothing, locations: ['x'] },
    wanted: keys,
  },
  {
    title: 'a location is to be made and the keys are there',
    settings: { missing: keys, location },
    found: { ...nothing, hasSecret: true },
    wanted: [],
  },
  { title: 'everything is said', settings: { missing: [], location }, found: nothing, wanted: [] },
])('when $title, $wanted is missing', ({ settings, found, wanted }) => {
  expect(missingFlags(settings, found)).toEqual(wanted);
});
