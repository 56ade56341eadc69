import { kubeErrorFromStatus } from '@lateen/kube';
import { describe, expect, it } from 'vitest';
import { failureEnd } from './failure-kind.ts';

const refusal = (code: number, reason: string, message: string, causes: object[] = []) =>
  kubeErrorFromStatus(code, { message, reason, code, details: { causes } }, 'create');

const forbidden = (message: string, causes: object[] = []) => refusal(403, 'Forbidden', message, causes);
const invalid = (message: string, causes: object[] = []) => refusal(422, 'Invalid', message, causes);

describe('why the API server rejects an object', () => {
  it.each<[title: string, error: unknown, act: string, by?: string]>([
    [
      'a webhook',
      forbidden('admission webhook "check.example.org" denied the request: no'),
      'denied',
      'webhook check.example.org',
    ],
    [
      'a webhook that answers 400',
      refusal(400, '', 'admission webhook "check.example.org" denied the request: no'),
      'denied',
      'webhook check.example.org',
    ],
    [
      'a webhook that answers 422',
      invalid('admission webhook "v.io" denied the request: spec.x: Invalid value: 1: field is immutable'),
      'denied',
      'webhook v.io',
    ],
    [
      'a policy',
      invalid(
        "deployments.apps \"web\" is forbidden: ValidatingAdmissionPolicy 'no-latest' with binding 'all' denied request: no",
      ),
      'denied',
      'ValidatingAdmissionPolicy no-latest',
    ],
    [
      'a quota',
      forbidden('pods "a" is forbidden: exceeded quota: small, requested: pods=1, used: pods=2, limited: pods=2'),
      'denied',
      'ResourceQuota small',
    ],
    [
      'a quota that needs limits',
      forbidden('pods "a" is forbidden: failed quota: small: must specify limits.cpu for: app'),
      'denied',
      'ResourceQuota small',
    ],
    [
      'the Pod Security level of a namespace',
      forbidden('pods "a" is forbidden: violates PodSecurity "restricted:latest": privileged'),
      'denied',
      'PodSecurity restricted:latest',
    ],
    ['limits', forbidden('pods "a" is forbidden: maximum cpu usage per Container is 1, but limit is 2'), 'denied'],
    [
      'missing permissions',
      forbidden(
        'pods is forbidden: User "system:serviceaccount:velero:velero" cannot create resource "pods" in API group ""',
      ),
      'fail',
    ],
    [
      'a namespace that is being deleted',
      forbidden('pods "a" is forbidden: unable to create new content in namespace x because it is being terminated'),
      'fail',
    ],
    [
      'a namespace that is being deleted, given as a cause',
      forbidden('pods "a" is forbidden', [{ reason: 'NamespaceTerminating' }]),
      'fail',
    ],
    [
      'an immutable field',
      invalid('Service "a" is invalid: spec.clusterIP: …', [
        { reason: 'FieldValueInvalid', field: 'spec.clusterIP', message: 'Invalid value: "x": field is immutable' },
      ]),
      'immutable',
    ],
    [
      'a spec with few mutable fields',
      invalid('StatefulSet.apps "a" is invalid: …', [
        {
          reason: 'FieldValueForbidden',
          message: "updates to statefulset spec for fields other than 'replicas' are forbidden",
        },
      ]),
      'immutable',
    ],
    [
      'an immutable roleRef',
      invalid('RoleBinding "a" is invalid', [{ reason: 'FieldValueInvalid', message: 'cannot change roleRef' }]),
      'immutable',
    ],
    [
      'only a text',
      invalid('Secret "a" is invalid: data: Forbidden: field is immutable when `immutable` is set'),
      'immutable',
    ],
    [
      'an invalid value',
      invalid('ConfigMap "a" is invalid', [{ reason: 'FieldValueRequired', message: 'Required value' }]),
      'fail',
    ],
    ['another error', new Error('it broke'), 'fail'],
    ['a failing server', refusal(500, 'InternalError', 'failed calling webhook "a": connection refused'), 'fail'],
  ])('%s: %3$s %4$s', (_title, error, act, by) => {
    const end = failureEnd(error);
    expect([end.act, end.by]).toEqual([act, by]);
    expect(end.reason).not.toBe('');
  });
});
