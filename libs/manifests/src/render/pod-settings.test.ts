import type { Unstructured } from '@lateen/kube';
import { describe, expect, it } from 'vitest';
import { withPodSettings } from './pod-settings.ts';
import { isWorkload } from './pod-template.ts';

const workload = (name: string): Unstructured => ({
  apiVersion: 'apps/v1',
  kind: 'DaemonSet',
  metadata: { name },
  spec: {
    selector: { matchLabels: { name } },
    template: {
      metadata: { labels: { name } },
      spec: {
        serviceAccountName: name,
        containers: [{ name, resources: { requests: { cpu: '1', memory: '1Gi' }, limits: { memory: '2Gi' } } }],
      },
    },
  },
});
const templateOf = (object: Unstructured | undefined) => {
  if (object === undefined || !isWorkload(object)) throw new Error('no workload');
  return object.spec.template;
};

describe('withPodSettings', () => {
  it('replaces each quantity; 0 removes one, and an empty field is dropped', () => {
    const resources = { 'node-agent': { requests: { cpu: '2' }, limits: { memory: '0' } } };
    const [object] = withPodSettings([workload('node-agent')], { resources });
    expect(templateOf(object).spec.containers[0]?.resources).toEqual({ requests: { cpu: '2', memory: '1Gi' } });
  });
  it('cannot remove the labels that select the pods', () => {
    const [object] = withPodSettings([workload('node-agent')], { podLabels: { name: 'x', team: 'a' } });
    expect(templateOf(object).metadata.labels).toEqual({ name: 'node-agent', team: 'a' });
  });
  it('allows another service account to request its own tokens, and no others', () => {
    const tokens = {
      apiGroups: [''],
      resources: ['serviceaccounts/token'],
      resourceNames: ['node-agent'],
      verbs: ['create'],
    };
    const secret = { apiGroups: [''], resources: ['secrets'], resourceNames: ['one'], verbs: ['get'] };
    const role = {
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'Role',
      metadata: { name: 'r' },
      rules: [tokens, secret],
    };
    expect(withPodSettings([role], { serviceAccountName: 'mine' })).toEqual([
      { ...role, rules: [{ ...tokens, resourceNames: ['mine'] }, secret] },
    ]);
    expect(withPodSettings([role], {})).toEqual([role]);
  });
});
