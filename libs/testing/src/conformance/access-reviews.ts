import type { ResourceType, Unstructured } from '@lateen/kube';
import { describe, expect, it } from 'vitest';
import type { ConformanceSubject } from './conformance-subject.ts';

const rbac = { group: 'rbac.authorization.k8s.io', version: 'v1' } as const;
const bindingType: ResourceType<Unstructured> = {
  ...rbac,
  resource: 'clusterrolebindings',
  kind: 'ClusterRoleBinding',
  namespaced: false,
};
const roleType: ResourceType<Unstructured> = {
  ...rbac,
  resource: 'clusterroles',
  kind: 'ClusterRole',
  namespaced: false,
};
const reviewType: ResourceType<Unstructured> = {
  group: 'authorization.k8s.io',
  version: 'v1',
  resource: 'subjectaccessreviews',
  kind: 'SubjectAccessReview',
  namespaced: false,
};

/** The authorizer learns of bindings through a watch, so this waits. */
const settleMs = 20_000;

export function accessReviewTests(subject: ConformanceSubject): void {
  describe('access reviews', () => {
    const asked = async (account: string, verb: string, groups: string[] = []): Promise<Unstructured> =>
      subject.api.create(reviewType, {
        apiVersion: 'authorization.k8s.io/v1',
        kind: 'SubjectAccessReview',
        metadata: {},
        spec: {
          user: `system:serviceaccount:${subject.namespace}:${account}`,
          groups,
          resourceAttributes: { verb, resource: 'nodes' },
        },
      });
    const isAllowed = async (...question: Parameters<typeof asked>) =>
      ((await asked(...question)).status as { allowed: boolean }).allowed;
    const binding = (name: string, role: string, to: object): Unstructured => ({
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'ClusterRoleBinding',
      metadata: { name },
      roleRef: { apiGroup: rbac.group, kind: 'ClusterRole', name: role },
      subjects: [to],
    });

    it('report what a service account may do as cluster-admin, through which binding, and nothing after the binding is deleted', async () => {
      const [account, name] = [subject.name('account'), subject.name('binding')];
      const to = { kind: 'ServiceAccount', name: account, namespace: subject.namespace };
      expect(await isAllowed(account, 'delete')).toBe(false);
      await subject.api.create(bindingType, binding(name, 'cluster-admin', to));
      try {
        await expect.poll(() => isAllowed(account, 'delete'), { timeout: settleMs }).toBe(true);
        expect((await asked(account, 'delete')).status).toMatchObject({
          reason: expect.stringContaining(`ClusterRoleBinding "${name}" of ClusterRole "cluster-admin"`),
        });
        expect(await isAllowed(subject.name('other'), 'delete')).toBe(false);
      } finally {
        await subject.api.delete(bindingType, { name });
      }
      await expect.poll(() => isAllowed(account, 'delete'), { timeout: settleMs }).toBe(false);
    });

    it('follow the rules of the role, and the requested groups', async () => {
      const [account, name] = [subject.name('account'), subject.name('role')];
      const group = `lateen:${name}`;
      await subject.api.create(roleType, {
        apiVersion: 'rbac.authorization.k8s.io/v1',
        kind: 'ClusterRole',
        metadata: { name },
        rules: [{ apiGroups: [''], resources: ['nodes'], verbs: ['get'] }],
      });
      await subject.api.create(bindingType, binding(name, name, { apiGroup: rbac.group, kind: 'Group', name: group }));
      try {
        await expect.poll(() => isAllowed(account, 'get', [group]), { timeout: settleMs }).toBe(true);
        expect([await isAllowed(account, 'get'), await isAllowed(account, 'delete', [group])]).toEqual([false, false]);
      } finally {
        await subject.api.delete(bindingType, { name });
        await subject.api.delete(roleType, { name });
      }
    });
  });
}
