import type { FrontendProcesses } from '@lateen/block-frontend';
import type { ProcessKeeper } from '@lateen/instance-host';

/** The processes of front ends, on the node's keeper: each query is answered by a pass that begins after it. */
export function keptProcesses(keeper: Pick<ProcessKeeper, 'want' | 'unwant' | 'look'>): FrontendProcesses {
  return {
    look: async (id, signal) => {
      const found = (await keeper.look(signal)).processes.find((one) => one.id === id);
      if (found === undefined) return { state: 'gone' };
      const { health, reason, run, argv } = found;
      if (health !== 'gone') return { state: 'lives', run, argv };
      return { state: 'gone', ...(reason === undefined ? {} : { reason }) };
    },
    start: async (process, signal) => {
      keeper.want(process);
      await keeper.look(signal);
    },
    end: async (id, signal) => {
      keeper.unwant(id);
      await keeper.look(signal);
    },
  };
}
