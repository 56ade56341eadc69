/** A call of a service account, from kube-apiserver's audit log. */
export interface AuditedCall {
  /** `namespace/name` of the service account. */
  subject: string;
  group: string;
  /** With the subresource. */
  resource: string;
  verb: string;
  /** Absent for a cluster-scoped object, or for all namespaces. */
  namespace?: string;
  name?: string;
  /** False: denied for missing permissions. Rejections for other reasons (quota, admission) do not count. */
  allowed: boolean;
  /** A list of one object by its name, which starts a wait for it. A watch follows if the object is not yet as expected. */
  beginsWait: boolean;
  atMs: number;
}

/** The fields that are read of an event of audit.k8s.io/v1, Metadata level. */
interface AuditEvent {
  verb: string;
  requestURI?: string;
  user?: { username?: string };
  objectRef?: { apiGroup?: string; resource?: string; subresource?: string; namespace?: string; name?: string };
  annotations?: Record<string, string>;
  requestReceivedTimestamp: string;
}

/** The field selector of `waitForObject`. */
const waitPattern = /[?&]fieldSelector=metadata\.name=/;

const accountPrefix = 'system:serviceaccount:';

/** Parses one line of the log. Undefined for calls of users other than service accounts, and for calls on no resource (`/readyz`). */
export function auditedCall(line: string): AuditedCall | undefined {
  const event = JSON.parse(line) as AuditEvent;
  const { username = '' } = event.user ?? {};
  const { resource, subresource, apiGroup = '', namespace, name } = event.objectRef ?? {};
  if (!username.startsWith(accountPrefix) || resource === undefined) return undefined;
  return {
    subject: username.slice(accountPrefix.length).replace(':', '/'),
    group: apiGroup,
    resource: subresource === undefined ? resource : `${resource}/${subresource}`,
    verb: event.verb,
    ...(namespace === undefined ? {} : { namespace }),
    ...(name === undefined ? {} : { name }),
    // The authorizer's own decision; a status of 403 may also come from a quota.
    allowed: event.annotations?.['authorization.k8s.io/decision'] !== 'forbid',
    beginsWait: event.verb === 'list' && waitPattern.test(decodeURIComponent(event.requestURI ?? '')),
    atMs: Date.parse(event.requestReceivedTimestamp),
  };
}
