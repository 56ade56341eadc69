import { titleOfSeen } from './foreign-among.ts';
import type { SeenObject } from './namespace-contents.ts';

/** How many objects are named; the others are counted by kind. */
export const namedMax = 20;

/** `CronJob nightly`, … `57 more (30 ConfigMap, 27 Secret)`, `perhaps some of cronjobs.batch (forbidden)`. Pure. */
export function describeForeign({
  foreign,
  unseen,
}: {
  foreign: readonly SeenObject[];
  unseen: readonly string[];
}): string[] {
  const more = foreign.slice(namedMax);
  const counts = [...Map.groupBy(more, ({ kind }) => kind)].map(([kind, of]) => `${of.length} ${kind}`);
  return [
    ...foreign.slice(0, namedMax).map(titleOfSeen),
    ...(more.length === 0 ? [] : [`${more.length} more (${counts.join(', ')})`]),
    ...unseen.map((kind) => `perhaps some of ${kind}`),
  ];
}
