import type { FrontendProcesses } from '@lateen/block-frontend';
import type { ProcessKeeper } from '@lateen/instance-host';

/** Front ends with a keeper whose loop does not run: each call makes one pass. */
export function keptProcesses(keeper: ProcessKeeper): FrontendProcesses {
  const look: FrontendProcesses['look'] = async (id, signal) => {
    const found = (await keeper.pass(signal)).processes.find((one) => one.id === id);
    if (found === undefined) return { state: 'gone' };
    const { health, reason, run, argv } = found;
    if (health !== 'gone') return { state: 'lives', run, argv };
    return { state: 'gone', ...(reason === undefined ? {} : { reason }) };
  };
  return {
    look,
    start: async (process, signal) => {
      keeper.want(process);
      await keeper.pass(signal);
    },
    end: async (id, signal) => {
      keeper.unwant(id);
      await keeper.pass(signal);
    },
  };
}
