import type { Unstructured } from '@lateen/kube';
import { describe, expect, it } from 'vitest';
import { renderManifests } from '../render-manifests.ts';
import { auditedCall } from './audited-call.ts';
import { deniedCalls, unusedRights } from './compare-rights.ts';
import { grantedRights, rightText } from './granted-rights.ts';

const role = (kind: string, rules: object[], namespace?: string): Unstructured => ({
  apiVersion: 'rbac.authorization.k8s.io/v1',
  kind,
  metadata: { name: 'r', ...(namespace === undefined ? {} : { namespace }) },
  rules,
});
const binding = (kind: string, roleKind: string, namespace?: string): Unstructured => ({
  ...role(kind, [], namespace),
  roleRef: { kind: roleKind, name: 'r' },
  subjects: [{ kind: 'ServiceAccount', name: 'agent', namespace: 'home' }],
});
const pods = { apiGroups: [''], resources: ['pods', 'pods/log'], verbs: ['get'] };
const claims = { apiGroups: [''], resources: ['persistentvolumeclaims'], verbs: ['get'] };
const rights = grantedRights([
  role('Role', [pods], 'home'),
  role('Role', [claims], 'elsewhere'),
  binding('RoleBinding', 'Role', 'home'),
  role('ClusterRole', [claims]),
  binding('ClusterRoleBinding', 'ClusterRole'),
]);

function line(verb: string, objectRef: object, more: object = {}): string {
  return JSON.stringify({
    verb,
    user: { username: 'system:serviceaccount:home:agent' },
    objectRef,
    annotations: { 'authorization.k8s.io/decision': 'allow' },
    requestReceivedTimestamp: '2030-01-01T00:00:00.000001Z',
    responseStatus: { code: 200 },
    ...more,
  });
}
const calls = (...lines: string[]) => lines.map(auditedCall).filter((call) => call !== undefined);
const get = (resource: string, namespace: string, subresource?: string) =>
  line('get', { resource, namespace, name: 'x', ...(subresource === undefined ? {} : { subresource }) });

describe('granted permissions', () => {
  it('are listed one by one, only of roles with a binding', () => {
    expect(rights.map(rightText)).toEqual([
      'home/agent may get pods in home (Role r)',
      'home/agent may get pods/log in home (Role r)',
      'home/agent may get persistentvolumeclaims everywhere (ClusterRole r)',
    ]);
  });

  it('are found for every service account of deploy/base', async () => {
    const subjects = new Set(grantedRights(await renderManifests()).map(({ subject }) => subject));
    expect([...subjects].sort()).toEqual([
      ...['lateen-csi/lateen-csi', 'lateen-csi/lateen-csi-metadata', 'velero/node-agent', 'velero/velero'],
    ]);
  });
});

describe('permissions compared with calls', () => {
  it('are unused until a call needs them, each subresource separately', () => {
    expect(unusedRights(rights, calls(get('pods', 'home'), get('persistentvolumeclaims', 'shop')))).toEqual([
      'home/agent may get pods/log in home (Role r)',
    ]);
    expect(unusedRights(rights, calls(get('pods', 'home', 'log')))).toHaveLength(2);
  });

  it('are used by a wait, also when no watch was necessary, but not by other lists', () => {
    const watch = { ...claims, verbs: ['list', 'watch'] };
    const both = grantedRights([role('ClusterRole', [watch]), binding('ClusterRoleBinding', 'ClusterRole')]);
    const list = (requestURI: string) =>
      calls(line('list', { resource: 'persistentvolumeclaims', namespace: 'shop' }, { requestURI }));
    expect(unusedRights(both, list('/x?fieldSelector=metadata.name%3Ddata&limit=500'))).toEqual([]);
    expect(unusedRights(both, list('/x?limit=500'))).toHaveLength(1);
  });

  it.each([
    [
      'of another account',
      line('get', { resource: 'pods', namespace: 'home' }, { user: { username: 'system:serviceaccount:home:other' } }),
    ],
    ['with another verb', line('list', { resource: 'pods', namespace: 'home' })],
    ['of another group', line('get', { resource: 'pods', namespace: 'home', apiGroup: 'metrics.k8s.io' })],
    ['in another namespace', get('pods', 'shop')],
    [
      'that was refused',
      line(
        'get',
        { resource: 'pods', namespace: 'home' },
        { annotations: { 'authorization.k8s.io/decision': 'forbid' } },
      ),
    ],
    ['for everywhere, in the own namespace', get('persistentvolumeclaims', 'home')],
  ])('are not used by a call %s', (_, text) => {
    expect(unusedRights(rights, calls(text))).toHaveLength(rights.length);
  });

  it('name each denied call once, and no call that was rejected for another reason', () => {
    const refused = { annotations: { 'authorization.k8s.io/decision': 'forbid' }, responseStatus: { code: 403 } };
    const denied = line('list', { resource: 'nodes' }, refused);
    const quota = line('create', { resource: 'pods', namespace: 'home' }, { responseStatus: { code: 403 } });
    expect(deniedCalls(calls(denied, denied, quota))).toEqual(['home/agent may not list nodes']);
  });

  it('ignore users, the control plane and calls on no resource', () => {
    expect(calls(line('get', { resource: 'pods' }, { user: { username: 'admin' } }))).toEqual([]);
    expect(calls(line('get', {}))).toEqual([]);
  });
});
