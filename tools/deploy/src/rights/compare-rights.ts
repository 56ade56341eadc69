import type { AuditedCall } from './audited-call.ts';
import { type Right, rightText } from './granted-rights.ts';

/**
 * Permissions that no call has used. A call counts for the narrowest permission that covers it. A cluster-wide permission is used only by a
 * call outside the service account's own namespace, because otherwise one for that namespace would be enough. A wait whose object was
 * already as expected has also used its permission to watch: whether the watch is called depends on timing.
 */
export function unusedRights(rights: readonly Right[], calls: readonly AuditedCall[]): string[] {
  const used = new Set<Right>();
  for (const call of calls.flatMap((each) => (each.beginsWait ? [each, { ...each, verb: 'watch' }] : [each]))) {
    const covering = call.allowed ? rights.filter((right) => covers(right, call)) : [];
    const narrowest = covering.find(({ namespace }) => namespace !== undefined) ?? covering[0];
    if (narrowest === undefined) continue;
    const isAtHome = call.namespace === homeOf(call.subject);
    if (narrowest.namespace !== undefined || !isAtHome) used.add(narrowest);
  }
  return rights.filter((right) => !used.has(right)).map(rightText);
}

/** Calls that were denied for missing permissions, each once. */
export function deniedCalls(calls: readonly AuditedCall[]): string[] {
  const texts = calls
    .filter(({ allowed }) => !allowed)
    .map(({ subject, verb, group, resource, namespace, name }) => {
      const what = `${group === '' ? resource : `${resource}.${group}`}${name === undefined ? '' : ` ${name}`}`;
      return `${subject} may not ${verb} ${what}${namespace === undefined ? '' : ` in ${namespace}`}`;
    });
  return [...new Set(texts)].sort();
}

function covers(right: Right, call: AuditedCall): boolean {
  return (
    right.subject === call.subject &&
    right.group === call.group &&
    right.resource === call.resource &&
    right.verb === call.verb &&
    (right.namespace === undefined || right.namespace === call.namespace)
  );
}

const homeOf = (subject: string): string => subject.slice(0, subject.indexOf('/'));
