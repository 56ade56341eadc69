import { linkLost, linkRefused, type StatusLink } from '@lateen/block-engine';
import { replicaLimits } from '../limits.ts';
import { type ModelImage, readUnit, unitsOf } from './model-machine.ts';

const { unitBytes } = replicaLimits;

/** A link to a chain of model images, the export first. Every byte of a unit has its value; writes are of whole units. */
export function modelLink(chain: readonly ModelImage[], isAlive: () => boolean): StatusLink {
  const [top] = chain;
  if (top === undefined) throw linkRefused('there is no such export');
  const alive = () => {
    if (!isAlive()) throw linkLost('the daemon is dead');
  };
  const each = (at: bigint, lengthBytes: number, work: (unit: number, offset: number) => void) => {
    alive();
    if (Number(at) % unitBytes !== 0 || lengthBytes % unitBytes !== 0) throw new Error('not in units');
    for (let offset = 0; offset < lengthBytes; offset += unitBytes) work((Number(at) + offset) / unitBytes, offset);
  };
  return {
    sizeBytes: top.sizeBytes,
    oldestPendingMs: undefined,
    closed: new Promise(() => {}),
    contexts: ['base:allocation', 'qemu:allocation-depth'],
    read: async (at, lengthBytes) => {
      const bytes = new Uint8Array(lengthBytes);
      each(at, lengthBytes, (unit, offset) => bytes.fill(readUnit(chain, unit), offset, offset + unitBytes));
      return [bytes];
    },
    write: async (at, data) => {
      const bytes = Buffer.concat(data);
      each(at, bytes.length, (unit, offset) => top.units.set(unit, bytes[offset] ?? 0));
    },
    zero: async (at, lengthBytes) => each(at, lengthBytes, (unit) => top.units.set(unit, 0)),
    trim: async () => alive(),
    flush: async () => alive(),
    status: async (context, at, lengthBytes) => {
      alive();
      const runs: { lengthBytes: number; value: number }[] = [];
      const first = Number(at) / unitBytes;
      const end = Math.min(unitsOf(top), Math.ceil((Number(at) + lengthBytes) / unitBytes));
      for (let unit = first; unit < end; unit++) {
        const value = context === 'base:allocation' ? flagsOf(chain, unit) : depthOf(chain, unit);
        const last = runs.at(-1);
        if (last?.value === value) last.lengthBytes += unitBytes;
        else runs.push({ lengthBytes: unitBytes, value });
      }
      return runs;
    },
    [Symbol.asyncDispose]: async () => {},
  };
}

const depthOf = (chain: readonly ModelImage[], unit: number): number =>
  chain.findIndex((image) => image.units.has(unit)) + 1;

function flagsOf(chain: readonly ModelImage[], unit: number): number {
  if (depthOf(chain, unit) === 0) return 3;
  return readUnit(chain, unit) === 0 ? 2 : 0;
}
