import { expect, it } from 'vitest';
import { type ClusterRoleBinding, type Subject, wideBindings } from './wide-bindings.ts';

const velero: Subject = { kind: 'ServiceAccount', name: 'velero', namespace: 'velero' };
const asUser: Subject = { kind: 'User', name: 'system:serviceaccount:velero:velero' };
const other: Subject = { kind: 'ServiceAccount', name: 'velero', namespace: 'other' };
const group: Subject = { kind: 'Group', name: 'admins' };

const binding = (
  subjects: Subject[] | undefined,
  role = 'cluster-admin',
  kind = 'ClusterRole',
): ClusterRoleBinding => ({
  apiVersion: 'rbac.authorization.k8s.io/v1',
  kind: 'ClusterRoleBinding',
  metadata: { name: 'any-name' },
  roleRef: { kind, name: role },
  ...(subjects === undefined ? {} : { subjects }),
});

it.each([
  { title: 'of the account alone is replaced', found: binding([velero]), wanted: [[['velero'], []]] },
  { title: 'of the account as a user is replaced', found: binding([asUser]), wanted: [[['velero'], []]] },
  { title: 'that names the account twice is replaced', found: binding([velero, asUser]), wanted: [[['velero'], []]] },
  {
    title: 'with other subjects is kept for them',
    found: binding([group, velero, other]),
    wanted: [[['velero'], [group, other]]],
  },
  { title: 'of others only is ignored', found: binding([group, other]), wanted: [] },
  {
    title: 'of another account of the namespace is ignored',
    found: binding([{ ...velero, name: 'shop' }]),
    wanted: [],
  },
  { title: 'to another role is not wide', found: binding([velero], 'view'), wanted: [] },
  { title: 'without subjects is ignored', found: binding(undefined), wanted: [] },
])('a binding $title', ({ found, wanted }) => {
  const wide = wideBindings([found], 'velero', new Set(['velero', 'node-agent']));
  expect(wide.map(({ accounts, others }) => [accounts, others])).toEqual(wanted);
});
