import type { ApiCall } from '@lateen/testing';

/** API calls by verb and kind. Calls of informers for all objects are not counted: they grow with time, not with work. */
export function countCalls(calls: readonly ApiCall[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const call of calls) {
    if (isOfInformer(call)) continue;
    const name = `${call.verb} ${call.type.kind}`;
    counts[name] = (counts[name] ?? 0) + 1;
  }
  return counts;
}

function isOfInformer({ verb, options }: ApiCall): boolean {
  if (verb !== 'list' && verb !== 'watch') return false;
  const { fieldSelector = '', labelSelector = '' } = options as { fieldSelector?: string; labelSelector?: string };
  return !fieldSelector.startsWith('metadata.name=') && !labelSelector.includes('=');
}
