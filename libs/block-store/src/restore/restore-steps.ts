import type { BlockList } from '../format/block-list.ts';

/** `block` is an index in the list that is restored; without one the area is filled with zeros. */
export interface RestoreStep {
  readonly offset: number;
  readonly block: number | undefined;
}

/** What a volume holds before: zeros, unknown data, or at each offset the block of one of these backups. */
export type SinkHolds = 'zeros' | 'anything' | readonly BlockList[];

/** What has to be written so that a volume holds `wanted`, ascending. */
export function restoreSteps(
  wanted: BlockList,
  holds: SinkHolds,
  { sizeBytes, blockBytes }: { sizeBytes: number; blockBytes: number },
): Iterable<RestoreStep> {
  if (holds === 'zeros') return eachBlock(wanted);
  if (holds === 'anything') return everywhere(wanted, sizeBytes, blockBytes);
  return differences(wanted, holds);
}

/** Counts the steps by iterating over them. */
export function countSteps(steps: Iterable<RestoreStep>): number {
  let count = 0;
  for (const _ of steps) count++;
  return count;
}

function* eachBlock(wanted: BlockList): Generator<RestoreStep> {
  for (let block = 0; block < wanted.length; block++) yield { offset: wanted.offsetAt(block), block };
}

function* everywhere(wanted: BlockList, sizeBytes: number, blockBytes: number): Generator<RestoreStep> {
  let block = 0;
  for (let offset = 0; offset < sizeBytes; offset += blockBytes) {
    const isListed = wanted.offsetAt(block) === offset;
    yield { offset, block: isListed ? block++ : undefined };
  }
}

/** Iterates over all lists in parallel. */
function* differences(wanted: BlockList, held: readonly BlockList[]): Generator<RestoreStep> {
  const lists = [wanted, ...held];
  const at = lists.map(() => 0);
  for (;;) {
    const offset = lists.reduce((least, list, which) => Math.min(least, offsetOf(list, at[which] ?? 0)), Infinity);
    if (offset === Infinity) return;
    const isListed = lists.map((list, which) => offsetOf(list, at[which] ?? 0) === offset);
    const block = isListed[0] ? (at[0] ?? 0) : undefined;
    const isSame = held.every((list, which) => {
      if (isListed[which + 1] !== isListed[0]) return false;
      return block === undefined || wanted.isSameAt(block, list, at[which + 1] ?? 0);
    });
    if (!isSame) yield { offset, block };
    for (const [which, is] of isListed.entries()) if (is) at[which] = (at[which] ?? 0) + 1;
  }
}

const offsetOf = (list: BlockList, at: number): number => (at < list.length ? list.offsetAt(at) : Infinity);
