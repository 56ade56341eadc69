import { describeError, isAppError } from '@lateen/errors';
import { causesOf } from '@lateen/kube';
import type { ItemEnd } from './item-target.ts';

/** Quotas, limits and the security levels of pods are answered as 403 like missing rights; those name the user. */
const missingRights = /\bUser ".*" cannot\b/;

/** The API server puts who said no into its message and nowhere else. */
const deniers: readonly { says: RegExp; by: (name: string) => string }[] = [
  { says: /admission webhook "([^"]+)" denied the request/, by: (name) => `webhook ${name}` },
  { says: /ValidatingAdmissionPolicy '([^']+)'/, by: (name) => `ValidatingAdmissionPolicy ${name}` },
  { says: /exceeded quota: ([^,\s]+)/, by: (name) => `ResourceQuota ${name}` },
  { says: /failed quota: ([^,\s:]+)/, by: (name) => `ResourceQuota ${name}` },
  { says: /violates PodSecurity "([^"]+)"/, by: (name) => `PodSecurity ${name}` },
];

/** What a refusal of the API server means for an object: kept out by somebody, differing where it cannot be changed, or something else. */
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

/** Field by field where the API server says so; the texts of some kinds are in no common form. */
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
