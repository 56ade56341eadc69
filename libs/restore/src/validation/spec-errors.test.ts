import type { RestoreSpec } from '@lateen/api-types';
import { expect, it } from 'vitest';
import { specErrors } from './spec-errors.ts';

const init = (initContainers: unknown[]): RestoreSpec => ({
  hooks: {
    resources: [{ name: 'h', postHooks: [{ init: { initContainers: initContainers as Record<string, unknown>[] } }] }],
  },
});
const wrongInit = "invalid InitContainer in restore hook, it doesn't have Command, Name or Image field";
const good = { name: 'n', image: 'i', command: ['c'] };

it.each<[spec: RestoreSpec, errors: string[]]>([
  [{}, []],
  [{ existingResourcePolicy: '', existingVolumeDataPolicy: '' }, []],
  [{ existingResourcePolicy: null, existingVolumeDataPolicy: null, hooks: {} }, []],
  [{ existingResourcePolicy: 'none' }, []],
  [{ existingResourcePolicy: 'update' }, []],
  [{ existingResourcePolicy: 'Update' }, ['Invalid ExistingResourcePolicy: Update']],
  [{ existingResourcePolicy: 'recreate' }, ['Invalid ExistingResourcePolicy: recreate']],
  [{ existingVolumeDataPolicy: 'none' }, []],
  [{ existingVolumeDataPolicy: 'full' }, []],
  [{ existingVolumeDataPolicy: 'incremental' }, []],
  [{ existingVolumeDataPolicy: 'all' }, ['Invalid ExistingVolumeDataPolicy: all']],
  [init([good]), []],
  [init([]), []],
  [init([good, { ...good, name: '' }]), [wrongInit]],
  [init([{ ...good, image: undefined }]), [wrongInit]],
  [init([{ ...good, command: [] }]), [wrongInit]],
  [init([{ ...good, command: 'sh' }]), [wrongInit]],
])('of %j: %j', (spec, errors) => {
  expect(specErrors(spec)).toEqual(errors);
});
