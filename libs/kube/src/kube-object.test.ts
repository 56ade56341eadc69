import { describe, expect, it } from 'vitest';
import { keyOf, keyText, parseKey } from './kube-object.ts';
import { apiVersionOf, groupResourceText, resourcePath } from './resource-type.ts';

const roles = {
  group: 'rbac.authorization.k8s.io',
  version: 'v1',
  resource: 'clusterroles',
  kind: 'ClusterRole',
  namespaced: false,
};
const pods = { group: '', version: 'v1', resource: 'pods', kind: 'Pod', namespaced: true };

describe('keys', () => {
  it.each([{ namespace: 'velero', name: 'a' }, { name: 'Lateen:Reader' }])('are parsed from their text: %o', (key) => {
    expect(parseKey(keyText(key))).toEqual(key);
  });

  it('are taken from objects, with a namespace only if there is one', () => {
    expect(keyOf({ metadata: { namespace: 'n', name: 'a' } })).toEqual({ namespace: 'n', name: 'a' });
    expect(keyOf({ metadata: { name: 'a' } })).toEqual({ name: 'a' });
  });
});

describe('resourcePath', () => {
  it('keeps upper case, and escapes special characters', () => {
    expect(resourcePath(roles, { name: 'Lateen:Reader/x' })).toBe(
      '/apis/rbac.authorization.k8s.io/v1/clusterroles/Lateen%3AReader%2Fx',
    );
    expect(resourcePath(pods, { namespace: 'n', name: 'p', subresource: 'status' })).toBe(
      '/api/v1/namespaces/n/pods/p/status',
    );
    expect(resourcePath(pods, {})).toBe('/api/v1/pods');
    expect(resourcePath(roles, { namespace: 'ignored', name: 'a' })).not.toContain('namespaces');
  });

  it('names a resource as the API server does in its messages', () => {
    expect([groupResourceText(pods), groupResourceText(roles)]).toEqual([
      'pods',
      'clusterroles.rbac.authorization.k8s.io',
    ]);
    expect([apiVersionOf(pods), apiVersionOf(roles)]).toEqual(['v1', 'rbac.authorization.k8s.io/v1']);
  });
});
