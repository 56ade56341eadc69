import type { Restore } from '@lateen/api-types';
import { expect, it } from 'vitest';
import { withSpecOr } from './with-spec.ts';

const kept = (object: object) =>
  withSpecOr<Restore>(() => ({ backupName: 'none' }))({ metadata: { name: 'r' }, ...object } as Restore);

it.each([
  [{}, { backupName: 'none' }],
  [{ spec: null }, { backupName: 'none' }],
  [{ spec: {} }, {}],
  [{ spec: { backupName: 'b' } }, { backupName: 'b' }],
])('%j has the spec %j', (object, spec) => {
  expect(kept(object).spec).toEqual(spec);
});

it('drops managedFields like every cache', () => {
  expect(kept({ metadata: { name: 'r', managedFields: [] } }).metadata).toEqual({ name: 'r' });
});
