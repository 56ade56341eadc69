import { type InstanceState, instanceMoves } from '@lateen/storage-types';

/** The intermediate states of a healthy process. The states error and unknown are never intermediate: they are only reported. */
const passed: readonly InstanceState[] = ['starting', 'running', 'stopping', 'stopped'];

/** The next state on the shortest path of allowed transitions, or the same state if there is no path. */
export function nextState(from: InstanceState, to: InstanceState): InstanceState {
  if (from === to) return from;
  let ways: readonly (readonly InstanceState[])[] = [[from]];
  for (let moves = 0; moves < passed.length; moves++) {
    ways = ways.flatMap((way) => instanceMoves[way.at(-1) ?? from].map((state) => [...way, state]));
    const found = ways.find((way) => way.at(-1) === to);
    if (found !== undefined) return found[1] ?? to;
    ways = ways.filter((way) => passed.includes(way.at(-1) ?? from));
  }
  return from;
}
