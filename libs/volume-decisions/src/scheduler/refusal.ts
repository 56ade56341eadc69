/** The reasons, as clients of the API know them, why a replica cannot be scheduled. */
export const refusalReasons = [
  'insufficient storage',
  'disks are unavailable',
  'disk not found',
  'tags not fulfilled',
  'nodes are unavailable',
  'node not found',
  'hard affinity cannot be satisfied',
] as const;
export type RefusalReason = (typeof refusalReasons)[number];

/** One node or disk that was left out. */
export interface Refused {
  readonly reason: RefusalReason;
  readonly node: string;
  readonly disk?: string;
  readonly because: string;
}

/** For people: `node-2 is cordoned`, `disk data of node-3 is being evicted`. */
export const refusedText = ({ node, disk, because }: Refused): string =>
  disk === undefined ? `${node} ${because}` : `disk ${disk} of ${node} ${because}`;

export const sortedReasons = (refused: readonly Refused[]): RefusalReason[] =>
  [...new Set(refused.map(({ reason }) => reason))].sort();

/** The message of the condition Scheduled. */
export const refusalMessage = (reasons: readonly string[]): string => [...new Set(reasons)].sort().join('; ');

/** Reason and message of the volume's condition Scheduled=False. */
export function schedulingFailure(
  request: { readonly hardNode?: string },
  refused: readonly RefusalReason[],
): { reason: 'ReplicaSchedulingFailure' | 'LocalReplicaSchedulingFailure'; message: string } {
  return {
    reason: request.hardNode === undefined ? 'ReplicaSchedulingFailure' : 'LocalReplicaSchedulingFailure',
    message: refusalMessage(refused),
  };
}

/** The message for a volume that fails the check before its first replica is placed. */
export const precheckFailed = (why: string): string => `precheck new replica failed: ${why}`;
