import { createHash } from 'node:crypto';

/**
 * The node among `nodes` that all callers with the same key agree on; undefined when there are none. When a node is removed, only its objects
 * move to other nodes.
 */
export function rendezvousWinner(key: string, nodes: readonly string[]): string | undefined {
  let winner: { node: string; score: string } | undefined;
  for (const node of nodes) {
    const score = createHash('sha256').update(`${node}\n${key}`).digest('hex');
    const isAhead = winner === undefined || score > winner.score || (score === winner.score && node < winner.node);
    if (isAhead) winner = { node, score };
  }
  return winner?.node;
}
