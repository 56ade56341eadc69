/** A call of a service account, as kube-apiserver's audit log has it. */
export interface AuditedCall {
  /** `namespace/name` of the service account. */
  subject: string;
  group: string;
  /** With its subresource. */
  resource: string;
  verb: string;
  /** Absent: on a cluster-scoped object, or on all namespaces. */
  namespace?: string;
  name?: string;
  /** False: refused for want of rights. Refusals for other reasons (quota, admission) are not meant. */
  allowed: boolean;
  /** A list of one object by its name: how a wait for it begins. A watch follows if it is not yet as wanted. */
  beginsWait: boolean;
  atMs: number;
}

/** The parts that are read of an event of audit.k8s.io/v1, Metadata level. */
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

/** One line of the log. Undefined for calls of others than service accounts, and for those on no resource (`/readyz`). */
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
    // The authoriser's own word; a status of 403 may come from a quota as well.
    allowed: event.annotations?.['authorization.k8s.io/decision'] !== 'forbid',
    beginsWait: event.verb === 'list' && waitPattern.test(decodeURIComponent(event.requestURI ?? '')),
    atMs: Date.parse(event.requestReceivedTimestamp),
  };
}
