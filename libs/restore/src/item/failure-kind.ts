import { describeError, isAppError } from '@lateen/errors';
import { causesOf } from '@lateen/kube';
import type { ItemEnd } from './item-target.ts';

/** Distinguishes missing rights from quotas, limits and pod security, which are 403 errors too: only missing rights name the user. */
const missingRights = /\bUser ".*" cannot\b/;

/** The API server names the component that refused only in the message. */
const deniers: readonly { says: RegExp; by: (name: string) => string }[] = [
  { says: /admission webhook "([^"]+)" denied the request/, by: (name) => `webhook ${name}` },
  { says: /ValidatingAdmissionPolicy '([^']+)'/, by: (name) => `ValidatingAdmissionPolicy ${name}` },
  { says: /exceeded quota: ([^,\s]+)/, by: (name) => `ResourceQuota ${name}` },
  { says: /failed quota: ([^,\s:]+)/, by: (name) => `ResourceQuota ${name}` },
  { says: /violates PodSecurity "([^"]+)"/, by: (name) => `PodSecurity ${name}` },
];

/** The outcome of a refused object: denied by a component, different in an immutable field, or another failure. */
export function failureEnd(error: unknown): ItemEnd & { act: 'denied' | 'immutable' | 'fail' } {
  const reason = describeError(error);
  if (!isAppError(error)) return { act: 'fail', reason };
  for (const { says, by } of deniers) {
    const name = says.exec(error.message)?.[1];
    if (name !== undefined) return { act: 'denied', reason, by: by(name) };
  }
  if (isImmutable(error)) return { act: 'immutable', reason };
  const isDenied = isAppError(error, 'KUBE_FORBIDDEN') && !missingRights.test(error.message) && !isTerminating(error);
  return { act: isDenied ? 'denied' : 'fail', reason };
}

/** Checks the causes by field when the API server lists them; the messages of some kinds have no common form. */
function isImmutable(error: unknown): boolean {
  if (!isAppError(error, 'KUBE_INVALID')) return false;
  const causes = causesOf(error);
  const says = /immutable|cannot change|may not change/;
  return causes.length === 0
    ? says.test(error.message)
    : causes.some(({ reason, message = '' }) => reason === 'FieldValueForbidden' || says.test(message));
}

const isTerminating = (error: unknown): boolean =>
  causesOf(error).some(({ reason }) => reason === 'NamespaceTerminating') ||
  (error instanceof Error && error.message.includes('because it is being terminated'));
