import type { AuditedCall } from './audited-call.ts';
import { type Right, rightText } from './granted-rights.ts';

/**
 * Rights that no call has used. A call counts for the narrowest right that covers it, and a right for everywhere is used
 * only by a call outside the service account's own namespace: else one for that namespace would do. A wait that found
 * its object as wanted has used its right to watch as well: whether the watch comes to be called is a matter of luck.
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

/** Calls that were refused for want of rights, each once. */
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
