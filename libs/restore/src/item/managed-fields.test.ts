import { describe, expect, it } from 'vitest';
import { fieldOwnersOf } from './managed-fields.ts';

const update = (manager: string, more: object = {}) => ({ manager, operation: 'Update', ...more });
const object = (managedFields: unknown) => ({ apiVersion: 'v1', kind: 'Pod', metadata: { name: 'a', managedFields } });

describe('the owners of fields', () => {
  it.each<[title: string, managedFields: unknown, withStatus: boolean, owners: object]>([
    ['nobody', undefined, false, {}],
    ['nobody that is known', [], false, {}],
    ['what is no list', 'x', false, {}],
    ['one who wrote it', [update('kubectl-create')], false, { fieldManager: 'kubectl-create' }],
    [
      'one who wrote it, and one of the status, which does not come back',
      [update('kubectl-create'), update('kubelet', { subresource: 'status' })],
      false,
      { fieldManager: 'kubectl-create' },
    ],
    [
      'the same with the status',
      [update('kubectl-create'), update('kubelet', { subresource: 'status' })],
      true,
      { patched: [update('kubectl-create'), update('kubelet', { subresource: 'status' })] },
    ],
    ['the status alone', [update('kubelet', { subresource: 'status' })], false, {}],
    ['several', [update('a'), update('b')], false, { patched: [update('a'), update('b')] }],
    [
      'one who applied it',
      [{ manager: 'argocd', operation: 'Apply' }],
      false,
      { patched: [{ manager: 'argocd', operation: 'Apply' }] },
    ],
    [
      'one of a subresource',
      [update('hpa', { subresource: 'scale' })],
      false,
      { patched: [update('hpa', { subresource: 'scale' })] },
    ],
    ['one without a name', [update('')], false, { patched: [update('')] }],
    ['one whose name a request cannot have', [update('ü')], false, { patched: [update('ü')] }],
    ['one with a very long name', [update('x'.repeat(129))], false, { patched: [update('x'.repeat(129))] }],
  ])('%s', (_title, managedFields, withStatus, owners) => {
    expect(fieldOwnersOf(object(managedFields), withStatus)).toEqual(owners);
  });
});
