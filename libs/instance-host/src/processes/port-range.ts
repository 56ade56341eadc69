import { hostError } from '@lateen/block-engine';

/** Ports that replicas serve on: what Longhorn uses, so that firewalls need no new rule. */
export const replicaPorts = { first: 10_000, last: 30_000 } as const;

/**
 * A free port of the range, the next one after `after`: a port that was just released is reused last, because clients may still try to reach its
 * previous owner.
 * @throws `NO_PORT`
 */
export function nextPort(
  taken: ReadonlySet<number>,
  after?: number,
  { first, last }: { readonly first: number; readonly last: number } = replicaPorts,
): number {
  const count = last - first + 1;
  const start = after !== undefined && after >= first && after < last ? after + 1 : first;
  for (let step = 0; step < count; step++) {
    const port = first + ((start - first + step) % count);
    if (!taken.has(port)) return port;
  }
  throw hostError('NO_PORT', `all ports from ${first} to ${last} are taken`);
}
