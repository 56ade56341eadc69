import type { Clock } from '@lateen/kernel';
import type { StoredChange } from '@lateen/testing';
import type { ProcessLife } from './faulty-kube.ts';
import { invariants } from './invariants/all.ts';
import { isMovement, type Movement, movementChange, phaseIn, type Surroundings } from './invariants/observed.ts';
import type { Trace } from './trace.ts';

/** One violation causes others; only the first ones are of interest. */
const violationsMax = 5;

export type WatchdogSurroundings = Omit<Surroundings, 'movements' | 'canceledSinceMs'>;

/** Sees every change of stored objects, writes it to the trace and checks the invariants. */
export class Watchdog {
  readonly violations: string[] = [];
  readonly #clock: Clock;
  readonly #trace: Trace;
  readonly #around: Surroundings;
  /** The last state of each movement, by uid, including deleted ones. */
  readonly #last = new Map<string, Movement>();
  readonly #canceledSince = new Map<string, number>();

  constructor(clock: Clock, trace: Trace, around: WatchdogSurroundings) {
    this.#clock = clock;
    this.#trace = trace;
    this.#around = {
      ...around,
      movements: () => this.seen,
      canceledSinceMs: (uid) => this.#canceledSince.get(uid),
    };
  }

  /** Every movement of the run in its last state. */
  get seen(): readonly Movement[] {
    return [...this.#last.values()];
  }

  violated(text: string): void {
    this.#trace.note(`VIOLATION ${text}`);
    if (this.violations.length < violationsMax) this.violations.push(text);
  }

  changed(change: StoredChange, process: ProcessLife | undefined): void {
    const { object, type } = change;
    const who = process === undefined ? '-' : `${process.node}${process.dead ? ' (dead)' : ''}`;
    const { phase, node } = (object.status ?? {}) as { phase?: string; node?: string };
    const about = isMovement(object) ? `${phaseIn(object)} ${node ?? ''} ${doneOf(object)}` : (phase ?? '');
    this.#trace.note(`${who} ${type} ${object.kind}/${object.metadata.name} ${about}`);
    const seen = movementChange(change);
    if (seen === undefined) return;
    const uid = seen.now.metadata.uid ?? '';
    this.#last.set(uid, seen.now);
    if (seen.now.spec.cancel === true && !this.#canceledSince.has(uid)) this.#canceledSince.set(uid, this.#clock.now());
    const writer = process === undefined ? undefined : { node: process.node, alive: !process.dead };
    const observed = { ...seen, writer, nowMs: this.#clock.now() };
    for (const [rule, invariant] of Object.entries(invariants)) {
      const wrong = invariant(observed, this.#around);
      if (wrong !== undefined) this.violated(`${rule}: ${wrong}`);
    }
  }
}

const doneOf = ({ status, spec, metadata }: Movement): string =>
  [
    status?.progress?.bytesDone ?? '',
    spec.cancel === true ? 'cancel' : '',
    metadata.deletionTimestamp === undefined ? '' : 'deleted',
    metadata.finalizers?.length ? '' : 'free',
  ]
    .filter(String)
    .join(' ');
