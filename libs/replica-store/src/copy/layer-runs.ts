import type { StatusContext, StatusLink } from '@lateen/block-engine';
import { replicaLimits } from '../limits.ts';
import { replicaError } from '../replica-error.ts';

/** An area that the layer itself holds. `zero`: zeros that were written, which hide what is below. */
export interface LayerRun {
  readonly kind: 'data' | 'zero';
  readonly at: bigint;
  readonly lengthBytes: number;
}

/** An area of a chain of layers that lies completely in one of them. */
export interface ChainRun {
  /** 0: in no layer, 1: in the layer that is exported, 2: in the one below it, and so on. */
  readonly depth: number;
  /** True when the area reads as zeros. */
  readonly isZero: boolean;
  readonly at: bigint;
  readonly lengthBytes: number;
}

/** In the layer that is exported, not below it. */
const ownDepth = 1;
const zeroFlag = 2;

/**
 * What a layer that is exported alone holds, ascending; gaps between the runs are not reported. Uses the allocation depth,
 * because `base:allocation` cannot distinguish an area that is not in this layer from zeros that were written to it.
 */
export async function* layerRuns(link: StatusLink, signal: AbortSignal): AsyncGenerator<LayerRun> {
  for await (const { depth, isZero, at, lengthBytes } of chainRuns(link, signal))
    if (depth === ownDepth) yield { kind: isZero ? 'zero' : 'data', at, lengthBytes };
}

/**
 * Which layer holds each area of an export, ascending, from `from` to its end.
 * @throws AppError `NOT_POSSIBLE_NOW` when the export does not report it; the link's errors
 */
export async function* chainRuns(link: StatusLink, signal: AbortSignal, from = 0n): AsyncGenerator<ChainRun> {
  needs(link, 'qemu:allocation-depth');
  needs(link, 'base:allocation');
  let at = from;
  while (at < link.sizeBytes) {
    signal.throwIfAborted();
    const asked = Number(min(link.sizeBytes - at, BigInt(replicaLimits.statusBytes)));
    const depths = new RunReader(at, await link.status('qemu:allocation-depth', at, asked));
    const flags = new RunReader(at, await link.status('base:allocation', at, asked));
    const end = min(min(depths.end, flags.end), at + BigInt(asked));
    if (end <= at) throw replicaError('NOT_POSSIBLE_NOW', 'the export tells nothing about its areas');
    for (; at < end; ) {
      const next = min(min(depths.endAt(at), flags.endAt(at)), end);
      const isZero = (flags.valueAt(at) & zeroFlag) !== 0;
      yield { depth: depths.valueAt(at), isZero, at, lengthBytes: Number(next - at) };
      at = next;
    }
  }
}

function needs(link: StatusLink, context: StatusContext): void {
  if (link.contexts.includes(context)) return;
  throw replicaError('NOT_POSSIBLE_NOW', `the export does not tell ${context}, so its layer cannot be copied`, {
    nextStep: 'Serve the layer by a storage daemon of this release.',
  });
}

/** Values over an area, asked in ascending order. */
class RunReader {
  readonly #runs: readonly { end: bigint; value: number }[];
  #index = 0;

  constructor(start: bigint, extents: readonly { lengthBytes: number; value: number }[]) {
    let end = start;
    this.#runs = extents.map(({ lengthBytes, value }) => {
      end += BigInt(lengthBytes);
      return { end, value };
    });
  }

  get end(): bigint {
    return this.#runs.at(-1)?.end ?? 0n;
  }

  endAt(at: bigint): bigint {
    return this.#runAt(at)?.end ?? at;
  }

  valueAt(at: bigint): number {
    return this.#runAt(at)?.value ?? 0;
  }

  #runAt(at: bigint): { end: bigint; value: number } | undefined {
    while ((this.#runs[this.#index]?.end ?? at + 1n) <= at) this.#index++;
    return this.#runs[this.#index];
  }
}

const min = (a: bigint, b: bigint): bigint => (a < b ? a : b);
