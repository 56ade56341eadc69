import { describe, expect, it } from 'vitest';
import { fieldOwnersOf } from './managed-fields.ts';

const update = (manager: string, more: object = {}) => ({ manager, operation: 'Update', ...more });
const object = (managedFields: unknown) => ({ apiVersion: 'v1', kind: 'Pod', metadata: { name: 'a', managedFields } });

describe('fieldOwnersOf', () => {
  it.each<[title: string, managedFields: unknown, withStatus: boolean, owners: object]>([
    ['nobody', undefined, false, {}],
    ['no entry', [], false, {}],
    ['managedFields that is not a list', 'x', false, {}],
    ['one manager with an update', [update('kubectl-create')], false, { fieldManager: 'kubectl-create' }],
    [
      'one manager with an update and one of the status, which is not restored',
      [update('kubectl-create'), update('kubelet', { subresource: 'status' })],
      false,
      { fieldManager: 'kubectl-create' },
    ],
    [
      'the same two with the status restored',
      [update('kubectl-create'), update('kubelet', { subresource: 'status' })],
      true,
      { patched: [update('kubectl-create'), update('kubelet', { subresource: 'status' })] },
    ],
    ['only a manager of the status', [update('kubelet', { subresource: 'status' })], false, {}],
    ['several', [update('a'), update('b')], false, { patched: [update('a'), update('b')] }],
    [
      'one manager with an apply',
      [{ manager: 'argocd', operation: 'Apply' }],
      false,
      { patched: [{ manager: 'argocd', operation: 'Apply' }] },
    ],
    [
      'one manager of a subresource',
      [update('hpa', { subresource: 'scale' })],
      false,
      { patched: [update('hpa', { subresource: 'scale' })] },
    ],
    ['one manager without a name', [update('')], false, { patched: [update('')] }],
    ['one manager whose name is not allowed in a request', [update('ü')], false, { patched: [update('ü')] }],
    ['one manager with a very long name', [update('x'.repeat(129))], false, { patched: [update('x'.repeat(129))] }],
  ])('%s', (_title, managedFields, withStatus, owners) => {
    expect(fieldOwnersOf(object(managedFields), withStatus)).toEqual(owners);
  });
});
