import { expect, it } from 'vitest';
import { recurringJobGroupLabel, recurringJobLabel, recurringJobOfLabel, storageLabels } from './labels.ts';

it.each([
  [recurringJobLabel('nightly'), { job: 'nightly' }],
  [recurringJobGroupLabel('default'), { group: 'default' }],
  [storageLabels.recurringJobSource, undefined],
  [storageLabels.volume, undefined],
])('the label %s refers to %o', (key, named) => {
  expect(recurringJobOfLabel(key)).toEqual(named);
});
