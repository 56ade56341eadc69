import { type InstanceState, instanceMoves } from '@lateen/storage-types';

/** On the way to another state only what a healthy process passes through; an error or an unknown state are told of, never passed. */
const passed: readonly InstanceState[] = ['starting', 'running', 'stopping', 'stopped'];

/** The next state on the shortest way of allowed moves, or the same one where there is no way. */
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
